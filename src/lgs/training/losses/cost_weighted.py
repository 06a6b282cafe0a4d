"""The paper's cost-weighted objective with entropy, eq. (obj_training) and its gradient estimators.

Paper form: reward w C + beta log p with w = exp(-C / tau), baseline b(x) its mean over the particles. The function
C exp(-C / tau) rises only while C < tau, so tau has to stay above the costs: below, it rewards bad solutions.

Self-normalised form: w = K softmax(-C~ / tau) over the particles, C~ the standardised cost, reward w C~ / K and its
mean as baseline: it prefers low costs at every tau, from plain REINFORCE (large tau) to best-of-K (small). Without the
baseline the coefficients sum to less than zero, and the noise that this feeds into 100 latent dimensions destroyed a
trained model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from .base import Coefficients, decayed, standardised


@dataclass(frozen=True)
class Loss:
    form: Literal["paper", "normalised"] = "normalised"
    tau: float = 2.0
    tau_end: float = 0.3
    beta: float = 0.01

    def __post_init__(self) -> None:
        if self.form not in ("paper", "normalised"):
            raise ValueError(f"cost_weighted: form must be 'paper' or 'normalised', is {self.form!r}")
        if not (self.tau > 0 and self.tau_end > 0):
            raise ValueError("cost_weighted: tau and tau_end must be positive")

    def __call__(self, costs: Tensor, log_probs: Tensor, progress: float) -> Coefficients:
        tau = decayed(self.tau, self.tau_end, progress)
        entropy = self.beta * log_probs
        if self.form == "paper":
            reward = (-costs / tau).exp() * costs + entropy
            centred = reward - reward.mean(-1, keepdim=True)
            return Coefficients(centred, centred)
        advantage = standardised(costs)
        weighted = (-advantage / tau).softmax(-1) * advantage
        reward = weighted + entropy / costs.shape[-1]
        centred = reward - reward.mean(-1, keepdim=True)
        return Coefficients(centred, centred)
