"""What each loss makes of costs, on small cases by hand."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lgs.training import losses
from lgs.training.objective import choose

COSTS = torch.tensor([[3.0, 1.0, 2.0]])
NOTHING = torch.zeros(1, 3)
SPREAD = math.sqrt(2 / 3)


def decoder(
    name: str, costs: Tensor = COSTS, log_probs: Tensor = NOTHING, progress: float = 0.0, **settings: object
) -> Tensor:
    found = losses.load(name, settings)(costs, log_probs, progress)
    torch.testing.assert_close(found.decoder, found.encoder)
    return found.decoder


def test_exact_coefficients() -> None:
    torch.testing.assert_close(decoder("shared_baseline"), torch.tensor([[1.0, -1.0, 0.0]]) / 3)
    scaled = torch.tensor([[1.0, -1.0, 0.0]]) / SPREAD
    torch.testing.assert_close(decoder("shared_baseline", standardise=True), scaled / 3)
    torch.testing.assert_close(decoder("poppy"), torch.tensor([[0.0, -1.0, 0.0]]) / SPREAD)
    torch.testing.assert_close(decoder("self_label"), torch.tensor([[0.0, -1.0, 0.0]]))
    weights = (-scaled / 0.5).softmax(-1)
    reward = weights * scaled
    torch.testing.assert_close(decoder("cost_weighted", tau=0.5, beta=0.0), reward - reward.mean())


def test_temperature_decays_exponentially() -> None:
    halfway = decoder("cost_weighted", progress=0.5, tau=8.0, tau_end=2.0)
    torch.testing.assert_close(halfway, decoder("cost_weighted", tau=4.0))


@pytest.mark.parametrize("form", ["paper", "normalised"])
def test_entropy_spreads_the_policy(form: str) -> None:
    """Of equally good solutions the likely ones become less likely: the objective is -beta H."""
    equal, log_probs = torch.full((1, 3), 2.0), torch.tensor([[-1.0, -2.0, -3.0]])
    found = decoder("cost_weighted", equal, log_probs, form=form, tau=5.0, tau_end=5.0, beta=0.3)[0]
    scale = 1.0 if form == "paper" else 3.0
    torch.testing.assert_close(found, 0.3 * torch.tensor([1.0, 0.0, -1.0]) / scale, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(("tau", "better"), [(20.0, True), (4.0, True), (2.9, False), (1.0, False)])
def test_the_papers_weights_need_a_temperature_above_the_costs(tau: float, better: bool) -> None:
    """C exp(-C / tau) falls where C > tau: there the paper's estimator raises the odds of the worse solution."""
    costs = torch.tensor([[3.0, 3.1]])
    found = decoder("cost_weighted", costs, torch.zeros(1, 2), form="paper", tau=tau, tau_end=tau, beta=0.0)[0]
    best, worst = found.tolist()
    assert (best < 0 < worst) if better else (worst < 0 < best)


@given(st.floats(0.05, 20.0), st.lists(st.floats(1.0, 9.0), min_size=2, max_size=6, unique=True))
def test_the_normalised_form_prefers_the_best_at_every_temperature(tau: float, values: list[float]) -> None:
    costs = torch.tensor([values], dtype=torch.float64)
    found = decoder("cost_weighted", costs, torch.zeros_like(costs), tau=tau, tau_end=tau, beta=0.0)[0]
    best, worst = int(costs.argmin()), int(costs.argmax())
    assert found[best] < 0 <= found[worst]


@given(
    st.lists(st.floats(-5.0, 5.0), min_size=2, max_size=7).filter(lambda values: max(map(abs, values)) > 0.1),
    st.integers(1, 6),
)
def test_scored_trajectories_stand_for_all(values: list[float], count: int) -> None:
    """Averaged over the offset, the weights of the chosen are the coefficients; zeros carry no weight."""
    coefficients = torch.tensor([values], dtype=torch.float64)
    offsets = (torch.arange(4000, dtype=torch.float64) + 0.5) / 4000
    index, weight = choose(coefficients.expand(len(offsets), -1), count, offsets)
    mean = torch.zeros_like(coefficients[0]).index_add(0, index.flatten(), weight.flatten().double()) / len(offsets)
    # Each trajectory is chosen in intervals of offsets, whose two ends the grid misses by half a step each.
    error = 2 * float(coefficients.abs().sum()) / len(offsets)
    torch.testing.assert_close(mean, coefficients[0], atol=error, rtol=0)
    assert index.shape == (len(offsets), min(count, len(values)))


def test_everyone_is_scored_when_there_is_room_for_all() -> None:
    for count in (0, 3, 9):
        index, weight = choose(COSTS, count, torch.tensor([0.3]))
        assert index.tolist() == [[0, 1, 2]]
        torch.testing.assert_close(weight, COSTS)


def test_nothing_to_learn_from_equal_costs() -> None:
    for name in ("shared_baseline", "poppy", "cost_weighted"):
        settings = {"beta": 0.0} if name == "cost_weighted" else {}
        found = decoder(name, torch.full((2, 4), 5.0), torch.zeros(2, 4), **settings)
        assert not found.any(), name
        index, weight = choose(found, 2, torch.tensor([0.1, 0.9]))
        assert not weight.any() and index.max() < 4
