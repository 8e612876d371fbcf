"""Evidence that may be looked at after every trial: e-values that stay valid whenever one stops, or goes on.

An e-value is the wealth of somebody who bets against the null, starting with 1. If the null is true the chance that it ever
reaches 1 / alpha is at most alpha (Ville 1939; Ramdas et al. 2023, *Game-theoretic statistics and safe anytime-valid
inference*). Those of independent sessions multiply; here they are logarithms, so they add. One-sided: evidence that treatment
is better; swap the arms to look for harm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

_BETS = tuple(step / 20 for step in range(1, 11))
"""Shares of the wealth; above a half one bad trial ruins what many good ones won."""


def pairs_log_e(wins: int, losses: int) -> float:
    """Natural log of the e-value of discordant matched pairs: `wins` where treatment alone passed, `losses` the reverse.

    The null is sharp: on these cases the arm makes no difference, so each discordant pair is a fair coin. The bet is a uniform
    mixture over chances of a win above 1/2,

        2^(W+L+1) B(W+1, L+1) P(p > 1/2 | Beta(W+1, L+1)) = sum over j <= W of C(W+L+1, j) / ((W+L+1) C(W+L, W)),

    the right side in whole numbers, so exact (Robbins 1970, *Statistical methods related to the law of the iterated
    logarithm*, for mixtures). Reject once it reaches log(1 / alpha). Raises ValueError at negative counts.
    """
    if min(wins, losses) < 0:
        raise ValueError(f"counts are 0 or more, not {wins!r} wins and {losses!r} losses")
    n = wins + losses + 1
    term = above = 1
    for j in range(wins):
        term = term * (n - j) // (j + 1)
        above += term
    return math.log(above) - math.log(n * math.comb(n - 1, wins))


def scores_log_e(differences: Sequence[float]) -> float:
    """Natural log of the e-value of `differences` in [-1, 1], treatment's score minus baseline's, one a pair in order of time.

    The null is that the expected difference of a pair, given the earlier ones, is at most 0. Wealth is the mean over ten
    constant bets l = 0.05 to 0.5 of the product of 1 + l d (Waudby-Smith & Ramdas 2023, *Estimating means of bounded random
    variables by betting*). Weaker than `pairs_log_e` where scores are 0 and 1. Raises ValueError at a difference outside
    [-1, 1] or NaN.
    """
    for position, difference in enumerate(differences):
        if not -1 <= difference <= 1:
            raise ValueError(f"difference {position} is {difference!r}; it is from -1 to 1")
    wealth = [math.fsum(math.log1p(bet * d) for d in differences) for bet in _BETS]
    best = max(wealth)
    return best + math.log(math.fsum(math.exp(w - best) for w in wealth) / len(wealth))
