"""Noise: what is added to integers, one law a file. A law is its exact tail, its sampler and its loss."""

from discreet.noise.base import Noise, least_positive
from discreet.noise.gaussian import Gaussian
from discreet.noise.gaussian_rounds import delta_of_rounds
from discreet.noise.laplace import Laplace, continuous_laplacian_tail_to_alpha, discrete_laplacian_tail_to_alpha
from discreet.noise.truncated import TruncatedLaplace

__all__ = [
    "Gaussian",
    "Laplace",
    "Noise",
    "TruncatedLaplace",
    "continuous_laplacian_tail_to_alpha",
    "delta_of_rounds",
    "discrete_laplacian_tail_to_alpha",
    "least_positive",
]
