"""Plant bugs, one at a time, in lines of Python and in definitions of Coq; each must be refused.

`python proofs/bugs.py [word]` tries those whose file has the word, and says refused / planted. A line of Python is
read into Code.v anew; then either it cannot be read, or Coq does not accept the proofs, or what Coq prints is not what
is committed.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

import check
import marks

_M = "mechanisms/"
RB, RR = _M + "randomized_response_bool.py", _M + "randomized_response.py"
RA, OU, SS, KA = (_M + f"{name}.py" for name in ("rappor", "optimized_unary", "subset_selection", "keep_above"))
LR, AN, CH = _M + "longitudinal_rappor.py", _M + "add_noise.py", _M + "choose.py"
LA, NB, ONE, AD = "noise/laplace.py", "noise/base.py", "samplers/one.py", "accounting/adaptive.py"
GA, TR, ZC = "noise/gaussian.py", "noise/truncated.py", "accounting/zcdp.py"
ES, MA, RE = "survey/estimates.py", "samplers/many.py", "reals.py"
CU, QU, NE = "tables/cuts.py", "tables/quantiles.py", "tables/nested.py"

# The books of the filter's theorem, and books that add up the loss distributions of what was chosen as one went.
_SUMS = r"""  Fixpoint charged {T} (u : nat) (s d : R) (a : analyst T) : Prop :=
    match a with
    | Stop _ => True
    | Ask M e delta units next =>
        0 <= e /\ dp adjacent e delta M /\ pays e units /\ obeys (u + units) (s + e) (d + delta) /\
        forall answer, charged (u + units) (s + e) (d + delta) (next answer)
    end.
"""
_NATURAL = r"""  Fixpoint added_up {T} (curve : R -> R) (d : R) (a : analyst T) : Prop :=
    match a with
    | Stop _ => True
    | Ask M e delta _ next =>
        0 <= e /\ dp adjacent e delta M /\ d + delta <= D /\ move e curve 0 <= value B 0 /\
        forall answer, added_up (move e curve) (d + delta) (next answer)
    end.
  Definition charged {T} (u : nat) (s d : R) (a : analyst T) := obeys u s d /\ added_up payoff d a.
"""

PLANTED: tuple[tuple[str, str, str], ...] = (
    (RB, "Fraction(1, 2) <= p <= 1", "Fraction(1, 3) <= p <= 1"),
    (RB, "ln(self.prob / (1 - self.prob))", "ln(1 / (1 - self.prob))"),
    (RB, "INFINITE if self.prob == 1 else", "INFINITE if self.prob == 0 else"),
    (RB, "Pure(INFINITE if self.prob == 1 else ln(self.prob / (1 - self.prob)))", "Pure(ln(self.prob))"),
    (RB, "return bool(x) is honest", "return honest is True"),
    (RB, "return self.prob, 1 - self.prob", "return self.prob, self.prob"),
    (RB, "float_down(1 / (1 + q))", "float_down(1 / (1 + q * q))"),
    (RB, "= truths == honest", "= honest == honest"),
    (RR, "ln(p * (t - 1) / (1 - p))", "ln(p * t / (1 - p))"),
    (RR, "ln(p * (t - 1) / (1 - p))", "ln(p / (1 - p))"),
    (RR, "(place + 1 + choice) % t", "(place + choice) % t"),
    (RR, "floor_of(t if place < 0 else t - 1,", "floor_of(t if place < 0 else t,"),
    (RR, "floor_of(t if place < 0 else t - 1,", "floor_of(t if place <= 0 else t - 1,"),
    (RR, "1 / (1 + q * (len(cats) - 1))", "1 / (1 + q * (len(cats) - 2))"),
    (RR, "not Fraction(1, t) <= p <= 1", "not 0 <= p <= 1"),
    (RR, "(1 - self.prob) / (len(self.categories) - 1)  # proof", "(1 - self.prob) / len(self.categories)  # proof"),
    (RR, "below_real(self.prob, draw", "below_real(1 - self.prob, draw"),
    (RA, "min(2 * self.max_weight, self.length))  # proof", "min(self.max_weight, self.length))  # proof"),
    (RA, "ln((2 - self.f) / self.f)", "ln((1 - self.f) / self.f)"),
    (RA, "bernoulli_many(self.f / 2, n", "bernoulli_many(self.f, n"),
    (RA, "np.bool_) ^ self._flips", "np.bool_) | self._flips"),
    (RA, "(int(y) - n * f / 2) / (1 - f)", "(int(y) - n * f) / (1 - f)"),
    (RA, "n * (f / 2) * (1 - f / 2) / (1 - f) ** 2", "n * (f / 2) * (1 - f) / (1 - f) ** 2"),
    (RA, "Fraction(2) / (1 + exp(", "Fraction(1) / (1 + exp("),
    (RA, "not 0 < share <= 1", "not 0 <= share <= 1"),
    (OU, "if self.length > 1 else max", "if self.length > 2 else max"),
    (OU, "ln(one * other if", "ln(one if"),
    (OU, "np.where(np.asarray(x, np.bool_), honest, bernoulli_many(self.q, self.length, coins))", "honest"),
    (OU, "honest = bernoulli_many(self.p, 1, coins)", "honest = bernoulli_many(self.q, 1, coins)"),
    (OU, "not 0 < no <= yes", "not 0 < no <= 1"),
    (OU, "not 0 < yes < 1", "not 0 < yes <= 1"),
    (OU, "1 / (1 + exp(budget))", "1 / (2 + exp(budget))"),
    (SS, "not Fraction(d, k) <= p <= 1", "not 0 <= p <= 1"),
    (SS, "ln(p * (k - d) / ((1 - p) * d))", "ln(p * k / ((1 - p) * d))"),
    (SS, "INFINITE if p == 1 else ln(", "INFINITE if p == 0 else ln("),
    (SS, "(p * (d - 1) + (1 - p) * d) / (k - 1)", "(p * (d - 1) + (1 - p) * d) / k"),
    (SS, "place, p = stand_in, Fraction(d, k)", "place, p = stand_in, Fraction(1, k)"),
    (SS, "j = i + below(k - 1 - i, coins)", "j = below(k - 1, coins)"),
    (SS, "j = i + below(k - 1 - i, coins)", "j = i + below(k - 2 - i, coins)"),
    (SS, "others[i], others[j] = others[j], others[i]", "others[i], others[j] = others[i], others[j]"),
    (SS, "others[i], others[j] = others[j], others[i]", "others[i], others[i] = others[j], others[i]"),
    (SS, "others[0] = place", "others[1] = place"),
    (SS, "- (k - a) * (k - a - 1)) >= 0", "- (k - a) * (k - a + 1)) >= 0"),
    (SS, "- (k - a) * (k - a - 1)) >= 0", "- (k - a) * (k - a - 1)) <= 0"),
    (SS, "exp(-budget) * Fraction(k - d, d)", "exp(-budget) * Fraction(k, d)"),
    (LR, "not 0 < share <= 1", "not 0 <= share <= 1"),
    (LR, "not 0 <= no < 1", "not -1 <= no < 1"),
    (LR, "not no < yes <= 1", "not 0 < yes <= 1"),
    (LR, "g * self.q + (1 - g) * self.p  # proof", "g * self.q + g * self.p  # proof"),
    (LR, "ln((t * g + (1 - g)) / (t * (1 - g) + g))", "ln((t * g + (1 - g)) / (t + g))"),
    (LR, "exp(ln(base) * r) if base", "exp(ln(base)) if base"),
    (LR, "self._ratio((1 - self.q) / (1 - self.p), r)", "self._ratio(self.q / self.p, r)"),
    (LR, "(ones + zeros) * (bits - m)", "(ones + zeros) * m"),
    (LR, "maximum(ones, zeros) * (2 * m - bits)", "ones * (2 * m - bits)"),
    (LR, "ln((2 - self.f) / self.f) * min(2 * self.max_weight", "ln((2 - self.f) / self.f) * min(self.max_weight"),
    (LR, "bits ^ bernoulli_many(self.f / 2", "bits ^ bernoulli_many(self.f"),
    (LR, "zeros = bernoulli_many(self.p, self.length", "zeros = bernoulli_many(1 - self.q, self.length"),
    (LR, "np.where(bits, bernoulli_many(self.q, self.length, coins), zeros)", "zeros"),
    (LR, "Fraction(2) / (1 + exp(budget", "Fraction(1) / (1 + exp(budget"),
    (LA, "else sensitivity.l1 / self.scale)", "else sensitivity.l1 / (2 * self.scale))"),
    (LA, "Pure(INFINITE if self.scale == 0 else sensitivity.l1 / self.scale)", "Pure(sensitivity.l1 / self.scale)"),
    (LA, "exp(-k / s) / (1 + exp(-1 / s))", "exp(-k / s) / 2"),
    (LA, "exp(-k / s) / (1 + exp(-1 / s))", "exp(-(k + 1) / s) / (1 + exp(-1 / s))"),
    (LA, "cls(sensitivity.l1 / epsilon)", "cls(epsilon / sensitivity.l1)"),
    (LA, "ln(p * (1 + exp(", "ln(p * (1 - exp("),
    (LA, "if s < 0:  # proof", "if s < -1:  # proof"),
    (CH, "2 * d / self.scale if self.scale else INFINITE", "d / self.scale if self.scale else INFINITE"),
    (CH, "2 * d / self.scale if self.scale else INFINITE", "2 * d / self.scale if self.scale else d"),
    (CH, "gaps.size, coins) >= gaps", "gaps.size, coins) > gaps"),
    (CH, "heads[below(heads.size, coins)]", "heads[below(heads.size - 1, coins)]"),
    (CH, "scale=2 * cls.input_metric", "scale=cls.input_metric"),
    (AN, "min(li, width)).tightest()", "max(li, width)).tightest()"),
    (AN, "else min(l0, size), l1, min(li", "else size, l1, min(li"),
    (NB, "self.tail(k) if k > 0 else", "self.tail(k) if k > 1 else"),
    (NB, "1 - self.tail(1 - k)  # proof", "1 - self.tail(-k)  # proof"),
    (NB, "self.at_least(abs(z)) - self.tail(abs(z) + 1)", "self.at_least(abs(z)) + self.tail(abs(z) + 1)"),
    (NB, "l1 - -(-min(spare) // room) * room", "l1 - min(spare) // room * room"),
    (NB, "l1 - max(spare) // room * room}", "l1 - max(spare) * room}"),
    (NB, "fewest = -(-l1 // li) if li", "fewest = l1 // li if li"),
    (NB, "total(-log1p(-tail) * count for", "total(tail * count for"),
    (KA, "-expm1(-self.noise.surprise(", "expm1(self.noise.surprise("),
    (KA, "noisy > self.threshold if", "noisy >= self.threshold if"),
    (KA, "else noisy < self.threshold", "else noisy > self.threshold"),
    (KA, "cls(1 if low == 0 else low,", "cls(2 if low == 0 else low,"),
    (KA, "li = min(li, max(self.high - self.low, 0))", "li = min(li, max(self.high - self.low - 1, 0))"),
    (KA, "min(self.count(l0), l1 // m), l1, li)", "min(self.count(l0), l1 // (m + 1)), l1, li)"),
    ("BoundedThreshold.v", "c = 0 \\/ lo <= c <= hi)%Z cs /\\ Forall", "c = 0 \\/ lo <= c)%Z cs /\\ Forall"),
    (KA, "low = li - 2 + noise.reach", "low = li - 1 + noise.reach"),
    (KA, "full = l1 // li", "full = l1 // li + 1"),
    (KA, "-expm1(log1p(-most) / full)", "-expm1(log1p(-most) / l0)"),
    (KA, "-expm1(log1p(-most) / full)", "most / full"),
    (KA, "most if full == 1 else", "most if full == 2 else"),
    (KA, "        return low + 1\n", "        return low\n"),
    (KA, "-log1p(-most) / surprise *", "most / surprise *"),
    (KA, "noise.tail(here + 1 - li)", "noise.tail(here - li)"),
    (KA, "there = li - 1 + noise.reach(tail)", "there = li - 2 + noise.reach(tail)"),
    (KA, "if there > here:", "if there >= here:"),
    (KA, "max(low, there - 1), here", "max(low, there), here"),
    (KA, "else (low + high) // 2", "else high"),
    (KA, "high - low > 1:", "high - low > 2:"),
    (LA, "exp(-1 / self.scale))), 0), 1)  # proof", "exp(-1 / self.scale))), 0), 0)  # proof"),
    ("LeastThreshold.v", "let l := Z.max low (t - 1) in", "let l := Z.max low t in"),
    ("LeastThreshold.v", "Some h => (1 <? h - low)%Z end then", "Some h => (2 <? h - low)%Z end then"),
    (ONE, "if gap >= d or gap <= 0:", "if gap > 0 or gap <= 0:"),
    (ONE, "return gap > 0", "return gap >= 0"),
    (ONE, "prefix * n + n - 1 >> bits", "prefix * n + n >> bits"),
    (ONE, "if prefix < low or prefix >= high:", "if prefix <= low or prefix >= high:"),
    (
        ONE,
        "prefix, bits = prefix << word | coins.bits(word), bits + word",
        "prefix, bits = coins.bits(word), bits + word",
    ),
    (ONE, "coins.bits(word), bits + word", "coins.bits(word), bits + 1"),
    (RE, "divmod(x.numerator << max(bits, 0)", "divmod(x.numerator << max(bits, 1)"),
    (RE, "return low, low + bool(rest)", "return low, low"),
    (MA, "(high - 1) >> (word - 8)  # The", "(high - 2) >> (word - 8)  # The"),
    (MA, "first, last = low >> (word - 8)", "first, last = low >> (word - 7)"),
    (MA, "!= (first << (word - 8), first", "!= (first + 1 << (word - 8), first"),
    (MA, "np.less(cells, first, out=part)", "np.less_equal(cells, first, out=part)"),
    (MA, "prefixes |= words >> words.dtype.type(8)", "prefixes |= words >> words.dtype.type(7)"),
    (MA, "(prefixes >= low) & (prefixes < high)", "(prefixes > low) & (prefixes < high)"),
    ("Arrays.v", "(first <=? v)%Z && (v <=? last)%Z then None", "(first <? v)%Z && (v <=? last)%Z then None"),
    ("Arrays.v", "(v <? high)%Z then below", "(v <=? high)%Z then below"),
    (AD, "delta > self.release_delta or (units", "delta > budget.delta or (units"),
    (AD, "delta > self.release_delta or (units", "(units > self.units and delta > self.release_delta) or (units"),
    (AD, "(units > self.units and epsilon", "(units > self.units + 1 and epsilon"),
    (AD, "self.units and epsilon > budget.epsilon)", "self.units and epsilon > 2 * budget.epsilon)"),
    (AD, "min(count, m * self.step // epsilon)) for", "min(count, -(-m * self.step // epsilon))) for"),
    (AD, "ways = [(-(-count // n), m)", "ways = [(count // n, m)"),
    (AD, "(n * m * m, n, m) for", "(n * m, n, m) for"),
    (AD, "default=(self.units + 1, 0, 0)", "default=(self.units, 0, 0)"),
    (AD, "np.maximum(best, np.add(up, down, out=up), out=best)", "np.add(up, down, out=best)"),
    (AD, "rows[(units - m * m) % len(rows)]", "rows[(units - m) % len(rows)]"),
    (AD, "if m * m <= units:", "if m * m < units:"),
    (AD, "row[room + m : room + m + size]", "row[room : room + m + size]"),
    (AD, "for m, rises, falls in chances", "for m, falls, rises in chances"),
    (AD, "rows = np.ones(", "rows = np.zeros("),
    (AD, "row[:room] = best, best[0]", "row[:room] = best, 0"),
    (AD, "_payoff(j * step - epsilon)", "_payoff(j * step - 2 * epsilon)"),
    (AD, "else float_up(-expm1(-over))", "else float_up(-expm1(-over / 2))"),
    (AD, "1.0 if loss > _FAR else float_up(1 / (1 + exp(-loss)))", "float_up(1 / (2 + exp(-loss)))"),
    (AD, "exp(min(loss, _FAR))", "exp(max(loss, _FAR))"),
    (AD, "value * _AGAIN + _TINY <= rest", "value <= rest"),
    (AD, "_SURELY: Final = 1 + Fraction(1, 1 << 32)", "_SURELY: Final = 1 + Fraction(1, 1 << 36)"),
    (AD, "self.units == 0 or value", "self.units == 1 or value"),
    (GA, "if v < 0:  # proof", "if v < -1:  # proof"),
    (GA, "apart.l2_squared / (2 * self.variance)", "apart.l2_squared / self.variance"),
    (GA, "if self.variance else INFINITE", "if self.variance else 0"),
    (GA, "apart.l2_squared / (2 * budget.rho)", "apart.l2_squared / budget.rho"),
    (GA, "t * t * self.variance / 2", "t * self.variance / 2"),
    (TR, "if s < 0:  # proof", "if s < -1:  # proof"),
    (TR, "expm1((k - r - 1) / s)", "expm1((k - r) / s)"),
    (TR, "- 2 * exp(-1 / s) * expm1(-r / s)  # proof", "- exp(-1 / s) * expm1(-r / s)  # proof"),
    (ZC, "- ln(order * delta)", "- ln(delta)"),
    (ZC, "/ (order - 1)) / order", "/ (order - 1))"),
    (ZC, "self.rho == 0 or sign(", "self.rho <= 1 or sign("),
    (ES, "(Fraction(c, self.n) - q) / (p - q) for", "(Fraction(c, self.n) - p) / (p - q) for"),
    (ES, "(Fraction(c, self.n) - q) / (p - q) for", "(Fraction(c, self.n) - q) / (1 - q) for"),
    (ES, "f * p * (1 - p) + (1 - f) * q * (1 - q)", "f * p * (1 - p) + (1 - f) * p * (1 - q)"),
    (ES, "/ self.n) / (p - q)  # proof: respondents", "/ self.n)  # proof: respondents"),
    (ES, "seen * (1 - seen) / self.n", "seen * (1 - seen)"),
    ("AdaptiveFilter.v", _SUMS, _NATURAL),
    ("AdaptiveFilter.v", "d <= D /\\ ((u <= B)", "((u <= B)%nat -> d <= D) /\\ ((u <= B)"),
    ("AdaptiveFilter.v", "(m * m <= units)%nat) \\/", "(m <= units)%nat) \\/"),
    ("AdaptiveFilter.v", "e <= INR m * step /\\", "e <= INR (S m) * step /\\"),
    (
        "AdaptiveFilter.v",
        "(hd payoff before l)) :: before",
        "0) :: before",
    ),
    ("AdaptiveFilter.v", "Rmax 0 (1 - exp (eps - l))", "Rmax 0 (1 - exp (2 * eps - l))"),
    ("Reported.v", "(157, 182, 8274778759431947, -52)", "(157, 182, 8274778759431948, -52)"),
    ("Reported.v", "(157, 182, 8274778759431947, -52)", "(157, 182, 8274778759431946, -52)"),
    ("Reported.v", "729, 205, 4617155577477709, -61)", "729, 205, 4617155577477710, -61)"),
    ("Reported.v", "6273749039944419, -50", "6273749039944420, -50"),
    ("Reported.v", "6889243222298161, -49", "6889243222298160, -49"),
    ("Reported.v", "(40, 700, 13, 6691062303521880, -52)", "(40, 700, 13, 6691062303521881, -52)"),
    ("Reported.v", "(441, 188000, 311, 6570991409505223, -54)", "(441, 188000, 311, 6570991409505222, -54)"),
    ("Estimates.v", "ys <- everyone M xs ;; ret (y :: ys)", "ys <- everyone M xs ;; ret (y :: y :: ys)"),
    ("Estimates.v", ":= nth v y false.", ":= nth 0 y false."),
    ("MarksEstimates.v", "Some i => Nat.eqb v i | None => false end", "Some i => true | None => false end"),
    ("RandomizedResponse.v", "((place + 1 + choice) mod t)", "((place + choice) mod t)"),
    ("RandomizedResponse.v", "choice <- pick (t - 1) ;;", "choice <- pick t ;;"),
    ("RandomizedResponseBool.v", "ret (Bool.eqb x honest)", "ret honest"),
    ("Rappor.v", "ret (xorb b n :: y)", "ret (orb b n :: y)"),
    ("OptimizedUnary.v", "ret ((if b then honest else c) :: y)", "ret ((if b then c else honest) :: y)"),
    ("SubsetSelection.v", "put j (nth i xs 0%nat) (put i (nth j xs 0%nat) xs)", "put i (nth j xs 0%nat) xs"),
    ("SubsetSelection.v", "match x with None => INR d / INR k | Some", "match x with None => p | Some"),
    ("SubsetSelection.v", "c <- pick (k - 1 - i) ;;", "c <- pick (k - 1) ;;"),
    ("LongitudinalRappor.v", "ret ((if b then one else zero) :: y)", "ret ((if b then zero else one) :: y)"),
    ("LongitudinalRappor.v", "memo <- rappor g x ;; reports p q r memo.", "memo <- rappor g x ;; reports q p r memo."),
    ("Laplace.v", "ret (if minus then -1 - Z.of_nat n", "ret (if minus then - Z.of_nat n"),
    ("Laplace.v", "minus <- flip (q / (1 + q)) ;;", "minus <- flip (/ 2) ;;"),
    ("TruncatedThreshold.v", "then Pr (cut_entry q limit T c) unseen else", "then 1 else"),
    ("TruncatedThreshold.v", "(fun z => z <=? last - c)%Z", "(fun z => z <=? last - c + 1)%Z"),
    (
        "TruncatedThreshold.v",
        "if (c =? 0)%Z then ret None else y <- trunc",
        "if (c <? 0)%Z then ret None else y <- trunc",
    ),
    ("JointThreshold.v", "then Pr (any_entry c) unseen else 1)", "then 1 else 1)"),
    ("JointThreshold.v", "delta : length cs = length cs' -> 0 < hides cs cs' ->", "delta : 0 < hides cs cs' ->"),
    ("JointThreshold.v", "close (eps + ln b - ln a) delta C D ->", "close (eps + ln a - ln b) delta C D ->"),
    ("TruncatedThreshold.v", "Let last := Z.min (Z.of_nat limit) T.", "Let last := Z.max (Z.of_nat limit) T."),
    (
        "TruncatedThreshold.v",
        "(c' <= c /\\ T <= c' + Z.of_nat limit) \\/\n    (c <= c' /\\ T < c -",
        "(c' <= c) \\/\n    (c <= c' /\\ T < c -",
    ),
    ("TruncatedLaplace.v", "(Z.abs (y - x) <=? Z.of_nat limit)%Z.", "(Z.abs (y - x) <? Z.of_nat limit)%Z."),
    ("DiscreteGaussian.v", "exp (- (t ^ 2 / (2 * v)))", "exp (- (t ^ 2 / v))"),
    ("DiscreteGaussian.v", "(Int_part (eps * v / IZR d - IZR d / 2) + 1)%Z", "(Int_part (eps * v / IZR d) + 1)%Z"),
    ("Concentrated.v", "exp (a * g x))) / a + rho.", "exp (a * g x))) / a + 2 * rho."),
    ("ConcentratedFilter.v", "r + rho <= most /\\ d + delta <= D", "(r + rho <= most \\/ d + delta <= D)"),
    ("MarksGaussian.v", "(a1 / ai * ai ^ 2 + (a1 mod ai) ^ 2)", "(a1 * ai)"),
    ("NaturalFilter.v", "move e curve 0 <= delta", "move (2 * e) curve 0 <= delta"),
    ("Choose.v", "ret (if (g <=? n)%nat then i :: hs else hs)", "ret (if (g <? n)%nat then i :: hs else hs)"),
    (CU, "maximum(Fraction(-1), -1 / odds)", "maximum(Fraction(-1), 1 / odds)"),
    (QU, "(q.numerator * up_to[:, -1:] + choice.move)", "(q.numerator * up_to[:, :-1] + choice.move)"),
    (QU, "return q.denominator * ranks / epsilon", "return ranks / epsilon"),
    (QU, "ln(Fraction(cuts) / (2 * error))", "ln(Fraction(cuts) / error)"),
    (NE, "return max(2 * q, 2 - 2 * q) + max(", "return max(q, 1 - q) + max("),
    (NE, "max(moved(left) + lower, upper + moved(right))", "max(moved(left), moved(right))"),
    (NE, "upper, lower = 2 * sum(left)", "upper, lower = sum(left)"),
    (NE, "2 * sum(1 - q for q in right)", "2 * sum(q for q in right)"),
    ("Cuts.v", "1 - 1 / (2 * odds).", "1 - 1 / (3 * odds)."),
    ("Cuts.v", "sum (skipn i F)", "sum (skipn (S i) F)"),
    ("Cuts.v", "(fun x => x - d) (firstn p F)", "(fun x => x) (firstn p F)"),
    ("Cuts.v", "Theorem cut_loses s g d F p j : 0 < s ->", "Theorem cut_loses s g d F p j : 1 < s ->"),
    ("Nested.v", "firstn (y - x) (skipn x F).", "firstn y (skipn x F)."),
    ("Nested.v", "Rmax (most_moved before + 2 * share_above after)", "Rmax (most_moved before + share_above after)"),
    ("AddNoise.v", "Z.max lo (Z.min y hi)", "Z.max lo y"),
    ("LaplaceThreshold.v", "Forall2 (fun c c' => c = 0 <-> c' = 0)%Z", "Forall2 (fun c c' => c = 0 -> c' = 0)%Z"),
    ("KeepAbove.v", "(if 0 <=? T then T <? y else", "(if 0 <=? T then T <=? y else"),
    ("KeepAbove.v", "(T c : Z) := q ^ Z.to_nat (T - c + 1)", "(T c : Z) := q ^ Z.to_nat (T - c)"),
    (
        "KeepAbove.v",
        "if (c =? 0)%Z then ret None else y <- noisy q c",
        "if (c <? 0)%Z then ret None else y <- noisy q c",
    ),
    ("Words.v", "reveal words (S k) (v * Z.of_nat B + Z.of_nat u)\n", "reveal words (S k) (v + Z.of_nat u)\n"),
    ("Samplers.v", "let high := ((v * n + n - 1) / whole)%Z in", "let high := ((v * n) / whole)%Z in"),
    ("Law.v", "P f <= exp eps * Q f + delta.", "P f <= exp (2 * eps) * Q f + delta."),
    ("Law.v", "adjacent x x' -> close eps delta", "adjacent x x' -> 0 < delta -> close eps delta"),
)
"""A file, what it has, and the bug in its place."""


def refusal(build: Path, bug: tuple[str, str, str]) -> str | None:
    """Return why a bug is refused: what could not be read, or Coq's last words. None: it is not."""
    file, old, new = bug
    with tempfile.TemporaryDirectory() as folder:
        here, source = Path(folder, "build"), Path(folder, "source")
        shutil.copytree(build, here)  # With what is compiled already.
        try:
            if file.endswith(".v"):
                _replace(here / file, old, new)
            else:
                for name in {line.file for line in marks.LINES if not isinstance(line, marks.Loop)} | {ONE}:
                    (source / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(marks.SOURCE / name, source / name)
                _replace(source / file, old, new)
                (here / "Code.v").write_text(marks.code(source))
                check.run([*check.MAKE, *_users(here)], here)  # Most are refused there, and the rest need not wait.
            check.run(check.MAKE, here)
            if check.printed(here)[0] != check.STATEMENTS.read_text():
                return "the statements are others"
        except (marks.UnreadableError, check.RefusedError) as refused:
            return str(refused).strip().split("\n\n")[0]
    return None


def _users(build: Path) -> list[str]:
    """Return what is compiled of the files that use a definition of Code.v that is another now."""
    new, old = ((folder / "Code.v").read_text().split("\n") for folder in (build, check.HERE))
    changed = {line.split()[1] for line in {*new} ^ {*old} if line.startswith("Definition ")}
    texts = {name: (build / f"{name}.v").read_text() for name in check.files() if name not in ("Code", "Theorems")}
    return [f"{name}.vo" for name, text in texts.items() if changed & {*re.findall(r"\w+", text)}]


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    if old not in text:
        raise LookupError(f"{file.name} has no {old!r}")
    file.write_text(text.replace(old, new))


def main(word: str = "", *, every: int = 1) -> int:
    """Plant the bugs, or one in so many, and return how many were not refused."""
    build = check.ROOT / "build" / "proofs"
    check.compiled(build)
    tried = [bug for bug in PLANTED if word in bug[0]][::every]
    passed = 0
    for count, bug in enumerate(tried, 1):
        if refusal(build, bug) is None:
            file, old, new = bug
            passed += 1
            print(f"not refused: {file}: {new!r} for {old!r}", flush=True)
        if count % 10 == 0 or count == len(tried):
            print(f"proofs: {count - passed} refused / {count} planted", flush=True)
    return passed


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:2])))
