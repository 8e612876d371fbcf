"""How likely is it that the skill makes this one case worse?"""

from __future__ import annotations

import math

import numpy as np

from skilltrial.stats.student_t import incomplete_beta

_PRIOR = 0.5
_LEAST_NODES = 32
_NODES_A_WIDTH = 6
"""The density narrows with the root of the number of trials."""


def harm_probability(treatment: tuple[int, int], baseline: tuple[int, int]) -> float:
    """The posterior probability that treatment's chance of a pass is below baseline's, from (passes, runs) of one case in each.

    The two chances are independent with Jeffreys' prior Beta(1/2, 1/2) (Jeffreys 1946, *An invariant form for the prior
    probability*). With x = sin^2 t for baseline's chance the integral of density times distribution is over a smooth
    function, which Gauss-Legendre gives to 1e-9. No trials in an arm leave the prior; of two arms
    without trials that is 1/2. Many cases have some that look harmed by luck: it is a list to look at, not a test. Raises
    ValueError unless 0 <= passes <= runs.
    """
    for passes, runs in (treatment, baseline):
        if not 0 <= passes <= runs:
            raise ValueError(f"{passes!r} passes of {runs!r} runs are impossible")
    a, b = _posterior(treatment)
    c, d = _posterior(baseline)
    nodes, weights = np.polynomial.legendre.leggauss(
        _LEAST_NODES + _NODES_A_WIDTH * math.isqrt(treatment[1] + baseline[1])
    )
    log_beta = math.lgamma(c) + math.lgamma(d) - math.lgamma(c + d)
    total = 0.0
    for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
        angle = (node + 1) * math.pi / 4
        sine, cosine = math.sin(angle), math.cos(angle)
        log_density = (2 * c - 1) * math.log(sine) + (2 * d - 1) * math.log(cosine) - log_beta
        total += weight * math.exp(log_density) * incomplete_beta(a, b, x=sine * sine)
    return min(1.0, total * math.pi / 2)


def _posterior(counts: tuple[int, int]) -> tuple[float, float]:
    passes, runs = counts
    return passes + _PRIOR, runs - passes + _PRIOR
