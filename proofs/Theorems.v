(** What is claimed. proofs/check.py prints each of these, and what they all rest on. *)
From Discreet Require Import Law Words Samplers Arrays.
From Discreet Require Import RandomizedResponseBool RandomizedResponse Rappor OptimizedUnary SubsetSelection LongitudinalRappor.
From Discreet Require Import Laplace Choose Cuts Nested KeepAbove TruncatedLaplace Packing LaplaceThreshold LeastThreshold AddNoise BoundedThreshold.
From Discreet Require Import AdaptiveFilter NaturalFilter Sums Concentrated DiscreteGaussian ConcentratedFilter.
From Discreet Require Import Estimates Tables Code Marks MarksArrays TruncatedThreshold JointThreshold MarksThreshold MarksGaussian MarksEstimates MarksLedger MarksCuts Floats.
From Coq Require Import List.
Import ListNotations.

(* Printed with them:
   test law close dp event Pr prefix reveal run sound says silent said
   wait below_fraction below_enclosed floor_of bernoulli uniform accumulate bisect_right categorical
   element element_of enclosed_low enclosed_high byte settled
   response_bool response lie answers rappor weight differ vectors same mean_bit estimate bits unary unary_loss
   put swap shuffle others sorted subset choose comb holding lacking all_sets subset_loss subset_other subset_noise
   coins report reports longitudinal gain ones zeros longitudinal_loss own other
   laplace noisy noisies l1 top gaps heads choice count shared without chance scores choice_scale
   at_most cut_odds cut_before cut_chance joined one_more ranks one_person
   between_bins turns nested all_nested proper share_below share_above most_moved ranks_read moved_read
   keep entry release shown near packing hide whole fits fewest
   candidates worth packed surprise same_keys common_near saturate saturated bounded_near farthest loses affords added
   rises payoff move best_of rows value good analyst seen pays obeys charged each books
   near_to truncated meets truncateds all_meet cut_entry cut_release unseen stays all_stay telling
   below_end all_below part any_entry any_release hides commons noisy_all
   total bell theta first profile noised noiseds squares concentrated zcdp worth concentrates most_squares
   inquirer shown_to nearly_zcdp paid
   bounded_maps brought_back bounded_packing
   search closing tail_at greatest reaches allowed steps share start enough worst_of
   reach_of rounds full_keys low_at_first there_from least_threshold
   everyone tally bit_is estimated chose one_of
   added_up odds_of choosy dyadic least_float frac reported *)

(** A theorem, whatever it says. *)
Inductive claim := holds (P : Prop) (proof : P).
Arguments holds {P}.

Definition theorems := [
  holds (@flip_is);
  holds (@pick_is);
  holds (@geometric_memory);
  holds (@postprocessing);
  holds (@composition);
  holds (@one_lemma);
  holds (@one_lemma_limit);
  holds (@limit_law);
  holds (@bernoulli_yes);
  holds (@coin_law);
  holds (@bernoulli_law);
  holds (@below_enclosed_sound);
  holds (@uniform_law);
  holds (@categorical_law);
  holds (@element_law);
  holds (@response_bool_dp);
  holds (@response_bool_tight);
  holds (@response_bool_infinite);
  holds (@response_law);
  holds (@response_foreign);
  holds (@response_dp);
  holds (@response_tight);
  holds (@response_infinite);
  holds (@response_within);
  holds (@response_unbiased);
  holds (@rappor_law);
  holds (@rappor_dp);
  holds (@rappor_dp_tight);
  holds (@Rappor.rappor_within);
  holds (@rappor_unbiased);
  holds (@Rappor.rappor_variance);
  holds (@unary_coins);
  holds (@unary_dp);
  holds (@unary_tight);
  holds (@unary_within);
  holds (@subset_law);
  holds (@subset_foreign);
  holds (@subset_dp);
  holds (@subset_tight);
  holds (@subset_infinite);
  holds (@subset_support);
  holds (@subset_unbiased);
  holds (@subset_within);
  holds (@subset_size);
  holds (@longitudinal_dp);
  holds (@longitudinal_tight);
  holds (@longitudinal_ever_dp);
  holds (@longitudinal_ever_tight);
  holds (@longitudinal_law);
  holds (@longitudinal_unbiased);
  holds (@laplace_law);
  holds (@Laplace.laplace_tail);
  holds (@laplace_at_least);
  holds (@Laplace.laplace_reach);
  holds (@noisy_dp);
  holds (@noisy_tight);
  holds (@no_noise);
  holds (@noisies_close);
  holds (@noisies_tight);
  holds (@laplace_sampler);
  holds (@laplace_size);
  holds (@laplace_signed);
  holds (@geometric_sampler);
  holds (@shared_thinned);
  holds (@choice_law);
  holds (@choice_single);
  holds (@choice_infinite);
  holds (@choice_dp);
  holds (@choice_tight);
  holds (@cut_loses);
  holds (@cut_law);
  holds (@cut_dp);
  holds (@quantile_dp);
  holds (@quantile_tight);
  holds (@cut_early);
  holds (@cut_late);
  holds (@nested_dp);
  holds (@release_close);
  holds (@release_tight);
  holds (@keep_above_dp);
  holds (@keep_above_tight);
  holds (@seed_boundary);
  holds (@exchange);
  holds (@four_candidates);
  holds (@packed_fits);
  holds (@worst_packing);
  holds (@worst_packing_occurs);
  holds (@keep_above_delta);
  holds (@keep_above_delta_ones);
  holds (@keep_above_common_dp);
  holds (@keep_above_common_tight);
  holds (@surprise_falls);
  holds (@threshold_steps);
  holds (@delta_falls);
  holds (@search_least);
  holds (@search_ends);
  holds (@full_greatest);
  holds (@worst_greatest);
  holds (@least_full);
  holds (@least_search);
  holds (@least_search_ends);
  holds (@enough_is);
  holds (@saturated_dp);
  holds (@saturated_tight);
  holds (@bounded_threshold_dp);
  holds (@bounded_threshold_tight);
  holds (@given_is);
  holds (@meets_tail);
  holds (@truncateds_close);
  holds (@truncateds_tight);
  holds (@truncated_threshold);
  holds (@cut_release_close);
  holds (@cut_release_tight);
  holds (@cut_release_dp);
  holds (@cut_release_least);
  holds (@cut_shown);
  holds (@parts_joint);
  holds (@any_release_close);
  holds (@gaussian_threshold_close);
  holds (@one_release);
  holds (@value_next);
  holds (@value_units);
  holds (@value_good);
  holds (@value_zero);
  holds (@spread);
  holds (@adaptive_filter);
  holds (@lattice_bounds);
  holds (@obeys_before);
  holds (@together);
  holds (@books_order);
  holds (@natural_filter);
  holds (@total_exchange);
  holds (@theta_period);
  holds (@theta_greatest);
  holds (@gaussian_is);
  holds (@gaussian_law);
  holds (@gaussian_symmetric);
  holds (@gaussian_subgaussian);
  holds (@gaussian_renyi);
  holds (@gaussian_renyi_most);
  holds (@noised_concentrated);
  holds (@noised_concentrated_tight);
  holds (@noised_profile);
  holds (@noiseds_concentrated);
  holds (@noiseds_concentrated_tight);
  holds (@concentrated_postprocessing);
  holds (@concentrated_composition);
  holds (@concentrated_close);
  holds (@no_noise_concentrated);
  holds (@concentrated_filter);
  holds (@tally_mean);
  holds (@tally_variance);
  holds (@rappor_marginal);
  holds (@unary_marginal);
  holds (@longitudinal_marginal);
  holds (@mean_exact);
  holds (@walk_is);
  holds (@response_program_is);
  holds (@rappor_program_is);
  holds (@unary_program_is);
  holds (@subset_program_is);
  holds (@longitudinal_program_is);
  holds (@below_real_is);
  holds (@below_real_enclosed_is);
  holds (@floor_of_is);
  holds (@prefix_is);
  holds (@bits_is);
  holds (@fraction_enclosed);
  holds (@bernoulli_many_looks);
  holds (@settled_prefix);
  holds (@bernoulli_many_law);
  holds (@randomized_response_bool_loses);
  holds (@randomized_response_bool_arrays);
  holds (@randomized_response_bool_support);
  holds (@randomized_response_bool_affords);
  holds (@randomized_response_program);
  holds (@randomized_response_loses);
  holds (@randomized_response_support);
  holds (@randomized_response_affords);
  holds (@rappor_bit);
  holds (@rappor_loses);
  holds (@rappor_support);
  holds (@rappor_debias_unbiased);
  holds (@rappor_debias_variance);
  holds (@rappor_affords);
  holds (@optimized_unary_bit);
  holds (@optimized_unary_loses);
  holds (@optimized_unary_affords);
  holds (@subset_selection_step);
  holds (@subset_selection_program);
  holds (@subset_selection_loses);
  holds (@subset_selection_support);
  holds (@subset_selection_affords);
  holds (@subset_selection_best);
  holds (@longitudinal_rappor_bits);
  holds (@longitudinal_rappor_loses);
  holds (@longitudinal_rappor_nothing);
  holds (@longitudinal_rappor_ever_loses);
  holds (@longitudinal_rappor_support);
  holds (@longitudinal_rappor_affords);
  holds (@choose_program);
  holds (@choose_loses);
  holds (@choose_affords);
  holds (@laplace_loses);
  holds (@laplace_loses_vectors);
  holds (@laplace_affords);
  holds (@laplace_either);
  holds (@laplace_point);
  holds (@laplace_reach_is);
  holds (@add_noise_loses);
  holds (@laplace_threshold_common);
  holds (@keep_above_strict_is);
  holds (@shown_is);
  holds (@fewest_is_read);
  holds (@candidates_are_read);
  holds (@surprise_is_read);
  holds (@delta_is_read);
  holds (@laplace_reaches);
  holds (@rounds_are_read);
  holds (@least_threshold_is);
  holds (@least_threshold_ends);
  holds (@bounds_are_read);
  holds (@gaussian_concentrates);
  holds (@gaussian_concentrates_vectors);
  holds (@gaussian_affords);
  holds (@gaussian_moment_most);
  holds (@truncated_tail_is);
  holds (@truncated_shown_is);
  holds (@estimate_is);
  holds (@estimate_of_sample);
  holds (@randomized_response_bool_estimated);
  holds (@randomized_response_estimated);
  holds (@subset_selection_estimated);
  holds (@rappor_estimated);
  holds (@optimized_unary_estimated);
  holds (@longitudinal_rappor_estimated);
  holds (@adaptive_or_is);
  holds (@adaptive_cost_pays);
  holds (@adaptive_off_pays);
  holds (@adaptive_values_bound);
  holds (@adaptive_most_again);
  holds (@adaptive_books_hold);
  holds (@zcdp_worth_is);
  holds (@zcdp_books_hold);
  holds (@at_most_is_read);
  holds (@moved_is_read);
  holds (@scale_is_read);
  holds (@quantile_affords);
  holds (@nested_affords);
  holds (@reach_is);
  holds (@interval_real);
  holds (@shows_least);
  holds (@randomized_response_bool_floats);
  holds (@randomized_response_floats);
  holds (@rappor_floats);
  holds (@optimized_unary_floats);
  holds (@subset_selection_floats);
  holds (@laplace_floats);
  holds (@choose_floats);
  holds (@gaussian_floats);
  holds (@longitudinal_rappor_floats);
  holds (@laplace_threshold_floats)].
