"""The decoder is a distribution over feasible solutions: enumerated whole, step by step and all steps at once."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from lgs import problems
from lgs.kernel import reference
from lgs.model import Config, Encoded, LGSNet
from lgs.model.latent import soft_clip
from lgs.problems import NONE, Context
from lgs.problems.cvrptw import vehicle_price
from lgs.rollout import rollout, sample_latents, sample_uniforms, score

from .networks import network, prepared
from .problems.episodes import all_actions, random_actions, seeded

#: Sizes of instances with few enough solutions to enumerate; 4 for the problems not named.
TINY = {"tsp": 5, "knapsack": 6, "jobshop": 3}
TOLERANCE = 1e-5


def log_probs(model: LGSNet, instance: Any, encoded: Encoded, z: Tensor, actions: Tensor, starts: Tensor) -> Tensor:
    with torch.no_grad():
        return reference.score(model.problem, instance, model.tables(encoded, z), actions, starts)


@pytest.mark.parametrize("extended", [False, True], ids=["paper", "extended"])
@pytest.mark.parametrize("name", problems.names())
def test_probabilities_of_all_solutions_sum_to_one(name: str, extended: bool) -> None:
    for seed in range(3):
        model = network(name, extended, seed)
        instance, encoded, z = prepared(model, 1, TINY.get(name, 4), 1, seed)
        actions = all_actions(model.problem, instance)
        first = actions[:, 0] if model.problem.forced_start else torch.full_like(actions[:, 0], NONE)
        shared = z.expand(1, len(actions), -1)
        p = log_probs(model, instance, encoded, shared, actions[None], first[None])[0].double().exp()
        assert p.max() > 1.1 * p.min(), "random weights prefer some solutions"
        for start in first.unique():
            assert float(p[first == start].sum()) == pytest.approx(1, abs=TOLERANCE)


def papers_query(model: LGSNet, context: Context, h: Tensor, z: Tensor) -> Tensor:
    """[d] the context c_t = [z, anchors, scalars] through its weights; the graph's embedding as an extension."""
    weight = model.decoder
    assert weight.query_latent is not None
    query = weight.query_latent.weight @ z + context.scalars[0, 0] @ weight.query_scalar
    for table, node in zip(weight.query_anchor, context.anchors[0, 0].tolist()):
        query = query + (table.weight @ h[node] if node != NONE else 0)
    return query if weight.query_graph is None else query + weight.query_graph.weight @ h.mean(0)


def papers_glimpse(model: LGSNet, query: Tensor, h: Tensor, x: Tensor, allowed: Tensor) -> Tensor:
    """[d] the attention, one head at a time; x [N, F] are the features that change, where the problem has some."""
    weight, dim = model.decoder, model.config.dim
    width, heads = dim // model.config.heads, []
    for rows in torch.arange(dim).split(width):
        keys, values = h @ weight.keys.weight[rows].T, h @ weight.values.weight[rows].T
        if weight.features is not None:
            keys = keys + x @ weight.features["feature_keys"][:, rows]
            values = values + x @ weight.features["feature_values"][:, rows]
        scores = (keys @ query[rows] / math.sqrt(width)).masked_fill(~allowed, -math.inf)
        heads.append(scores.softmax(0) @ values)
    return torch.cat(heads)


def papers_log_prob(model: LGSNet, instance: Any, h: Tensor, z: Tensor, actions: list[int], first: int) -> Tensor:
    """The paper's decoder as its appendix writes it, one step at a time, with the extensions that the model has:
    h [N, d], z [d_z]."""
    problem, weight, config = model.problem, model.decoder, model.config
    state, total = problem.reset(instance, 1), torch.zeros(())
    for step, action in enumerate(actions):
        allowed = problem.allowed(instance, state)[0, 0]
        if allowed.any() and step >= first:
            context = problem.context(instance, state)
            x = problem.dynamic_features(instance, state)[0, 0] if problem.dynamic else h.new_zeros(len(h), 0)
            glimpse = papers_glimpse(model, papers_query(model, context, h, z), h, x, allowed)
            if weight.residual is not None:
                glimpse = glimpse + weight.residual(z)
            logits = h @ weight.logit_keys.weight.T @ (weight.output.weight @ glimpse) / math.sqrt(config.dim)
            if weight.features is not None:
                logits = logits + x @ (weight.features["feature_logits"] @ glimpse + weight.features["feature_bias"])
            here = int(context.anchors[0, 0, 0])
            if weight.pair_bias is not None and here != NONE:
                logits = logits + problem.pair_features(instance)[0, here] @ weight.pair_bias
            logits = (config.clip * logits.tanh()).masked_fill(~allowed, -math.inf)
            total = total + logits.log_softmax(0)[action]
        state = problem.step(instance, state, torch.tensor([[action]]))
    return total


@pytest.mark.parametrize("extended", [False, True], ids=["paper", "extended"])
@pytest.mark.parametrize("name", problems.names())
def test_the_tables_are_the_papers_decoder(name: str, extended: bool) -> None:
    model = network(name, extended)
    instance, encoded, z = prepared(model, 1, 6, 4)
    actions = random_actions(model.problem, instance, 4, seeded(3))
    starts = actions[..., 0] if model.problem.forced_start else torch.full_like(actions[..., 0], NONE)
    found = log_probs(model, instance, encoded, z, actions, starts)[0]
    with torch.no_grad():
        for k, row in enumerate(actions[0].tolist()):
            first = int(model.problem.forced_start)
            expected = papers_log_prob(model, instance, encoded.nodes[0], z[0, k], row, first)
            torch.testing.assert_close(found[k], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("extended", [False, True], ids=["paper", "extended"])
@pytest.mark.parametrize("name", problems.names())
def test_an_instance_is_encoded_alone_as_in_company(name: str, extended: bool) -> None:
    model = network(name, extended)
    instance, encoded, _ = prepared(model, 3, 6, 1)
    for row in range(3):
        with torch.no_grad():
            alone = model.encode(instance.rows([row]))
        for whole, part in zip(encoded._tensors(), alone._tensors(), strict=True):
            torch.testing.assert_close(whole[[row]], part, rtol=1e-4, atol=1e-4)


def test_means_and_variances_are_softly_clipped() -> None:
    """However large the weights: inside the bounds, and the identity between them."""
    model = network("tsp", False)
    c, head = model.config, model.latent
    assert head is not None
    wild = head(torch.randn(200, c.dim, generator=seeded(0)) * 1e3)
    for values, low, high in ((wild.mean, -c.mean_bound, c.mean_bound), (wild.log_var, c.log_var_low, c.log_var_high)):
        assert abs(values.min() - low) < 1e-4 and abs(values.max() - high) < 1e-4
    x = torch.linspace(-12, 12, 7)
    torch.testing.assert_close(soft_clip(x, -20, 20), x, rtol=0, atol=1e-3)


@pytest.mark.parametrize("extended", [False, True], ids=["paper", "extended"])
@pytest.mark.parametrize("name", problems.names())
@pytest.mark.parametrize("greedy", [False, True], ids=["sampled", "greedy"])
def test_scoring_all_steps_at_once_equals_decoding_step_by_step(name: str, extended: bool, greedy: bool) -> None:
    model = network(name, extended)
    instance, encoded, z = prepared(model, 3, 6, 7)
    starts = model.starts(instance, 7)
    uniforms = None if greedy else sample_uniforms(model, instance, 7, seeded(2))
    tables = model.tables(encoded, z)
    actions, stepwise = reference.rollout(model.problem, instance, tables, starts, uniforms)
    at_once = log_probs(model, instance, encoded, z, actions, starts)
    torch.testing.assert_close(at_once, stepwise, rtol=TOLERANCE, atol=TOLERANCE)
    assert (stepwise < 0).all()
    if model.problem.forced_start:
        assert torch.equal(actions[..., 0], starts)


@pytest.mark.parametrize("name", problems.names())
def test_scoring_does_not_depend_on_the_chunks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = network(name, True)
    instance, encoded, z = prepared(model, 2, 6, 5)
    actions = random_actions(model.problem, instance, 5, seeded(3))
    starts = actions[..., 0] if model.problem.forced_start else torch.full_like(actions[..., 0], NONE)

    def value_and_gradient() -> tuple[Tensor, Tensor]:
        latents = z.clone().requires_grad_()
        value = reference.score(model.problem, instance, model.tables(encoded, latents), actions, starts)
        (gradient,) = torch.autograd.grad(value.sum(), latents)
        return value, gradient

    whole = value_and_gradient()
    monkeypatch.setitem(reference.SCORE_BYTES, "cpu", 1)
    single = value_and_gradient()
    torch.testing.assert_close(whole[0], single[0], rtol=TOLERANCE, atol=TOLERANCE)
    torch.testing.assert_close(whole[1], single[1], rtol=1e-4, atol=1e-5)
    assert whole[1].abs().max() > 1e-3, "the latent matters"


@pytest.mark.parametrize("name", problems.names())
def test_the_gradient_is_that_of_the_log_probability(name: str) -> None:
    """Central differences in float64, along one random direction of the tables."""
    model = network(name, True)
    instance, encoded, z = prepared(model, 2, 5, 3)
    actions = random_actions(model.problem, instance, 3, seeded(4))
    starts = actions[..., 0] if model.problem.forced_start else torch.full_like(actions[..., 0], NONE)
    tables = model.tables(encoded, z)._map(lambda x: x.detach().double().requires_grad_())
    leaves = [leaf for leaf in tables._tensors() if leaf.numel()]
    value = reference.score(model.problem, instance, tables, actions, starts).sum()
    gradients = torch.autograd.grad(value, leaves)
    generator = seeded(5)
    for leaf, gradient in zip(leaves, gradients, strict=True):
        direction = torch.randn(leaf.shape, generator=generator, dtype=torch.float64)
        ends = []
        for sign in (1, -1):
            moved = tables._map(lambda x, leaf=leaf, d=direction, s=sign: x + s * 1e-6 * d if x is leaf else x)
            with torch.no_grad():
                ends.append(float(reference.score(model.problem, instance, moved, actions, starts).sum()))
        slope = (ends[0] - ends[1]) / 2e-6
        assert float((gradient * direction).sum()) == pytest.approx(slope, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("name", problems.names())
def test_samples_follow_the_probabilities(name: str) -> None:
    """Pearson's chi-square of 20,000 samples against the enumerated law: wrong once in 10^4 seeds."""
    model = network(name, False, seed=7)
    instance, encoded, z = prepared(model, 1, 3 if name != "jobshop" else 2, 1, seed=2)
    problem, particles = model.problem, 20_000
    actions = all_actions(problem, instance)
    if problem.forced_start:
        actions = actions[actions[:, 0] == 0]
    start = 0 if problem.forced_start else NONE
    one = torch.full((1, len(actions)), start)
    law = log_probs(model, instance, encoded, z.expand(1, len(actions), -1), actions[None], one)[0].double().exp()
    many = z.expand(1, particles, -1)
    uniforms = sample_uniforms(model, instance, particles, seeded(6))
    starts = torch.full((1, particles), start)
    drawn, _ = reference.rollout(problem, instance, model.tables(encoded, many), starts, uniforms)
    match = (drawn[0][:, None] == actions).all(-1)
    assert match.any(-1).all(), "every sample is one of the feasible solutions"
    counts = match.sum(0)
    common = law * particles >= 5
    seen = torch.cat((counts[common], counts[~common].sum()[None]))
    expected = torch.cat((law[common], law[~common].sum()[None])) * particles
    freedom = int((expected > 0).sum()) - 1
    chi2 = float(((seen - expected).square() / expected.clamp_min(1e-9))[expected > 0].sum())
    # Wilson-Hilferty: the 1 - 10^-4 quantile of chi-square.
    assert chi2 < freedom * (1 - 2 / (9 * freedom) + 3.719 * math.sqrt(2 / (9 * freedom))) ** 3


@pytest.mark.parametrize("name", problems.names())
def test_rollouts_are_feasible_and_cost_what_the_checker_says(name: str) -> None:
    """Through the public door, whichever kernel is behind it."""
    model = network(name, False)
    instance, encoded, z = prepared(model, 4, 8, 6)
    starts = model.starts(instance, 6)
    found = rollout(model, instance, encoded, z, starts, sample_uniforms(model, instance, 6, seeded(8)))
    for row in range(4):
        one = instance.rows([row])
        for particle in range(6):
            verdict = model.problem.check(one, model.problem.solution(one, found.actions[row, particle]))
            assert verdict.feasible
            assert verdict.cost == pytest.approx(float(found.costs[row, particle]), rel=1e-9)
    again = score(model, instance, encoded, z, found.actions, starts)
    torch.testing.assert_close(again, found.log_probs, rtol=1e-4, atol=1e-4)
    assert again.requires_grad


@pytest.mark.parametrize("name", problems.names())
def test_an_instance_is_decoded_alone_as_in_company(name: str) -> None:
    model = network(name, True)
    instance, encoded, z = prepared(model, 3, 6, 4)
    uniforms, starts = sample_uniforms(model, instance, 4, seeded(9)), model.starts(instance, 4)
    tables = model.tables(encoded, z)
    together, _ = reference.rollout(model.problem, instance, tables, starts, uniforms)
    for row in range(3):
        alone, _ = reference.rollout(
            model.problem, instance.rows([row]), tables.rows([row]), starts[[row]], uniforms[[row]]
        )
        assert torch.equal(alone[0], together[row])


@pytest.mark.parametrize("name", [name for name in problems.names() if not problems.load(name).forced_start])
def test_a_forced_first_node_costs_nothing(name: str) -> None:
    """POMO's way for the routing problems: p(y | first node) is p(y) over the first step's probability."""
    model = network(name, False)
    instance, encoded, z = prepared(model, 1, TINY.get(name, 4), 1)
    actions = all_actions(model.problem, instance)
    shared = z.expand(1, len(actions), -1)
    forced = log_probs(model, instance, encoded, shared, actions[None], actions[None, :, 0])[0].double().exp()
    for node in actions[:, 0].unique():
        assert float(forced[actions[:, 0] == node].sum()) == pytest.approx(1, abs=TOLERANCE)


def test_a_model_says_whether_first_nodes_are_given() -> None:
    """As the problem does by default, otherwise as its configuration."""
    instance = problems.load("cvrp").generate(2, 5, seeded(0))
    given_first = problems.load("cvrp").starts(instance, 7, forced=True)
    free = torch.full_like(given_first, NONE)
    for setting, expected in ((None, free), (False, free), (True, given_first)):
        model = LGSNet(Config("cvrp", dim=8, heads=2, layers=1, hidden=8, latent=2, forced_start=setting))
        assert torch.equal(model.starts(instance, 7), expected)


def test_a_model_follows_the_options_of_its_problem() -> None:
    """The same episodes, but vehicles decide: what searches and rollouts minimise is `model.problem.cost`."""
    model = network("cvrptw", False)
    instance, encoded, z = prepared(model, 2, 6, 5)
    starts, uniforms = model.starts(instance, 5), sample_uniforms(model, instance, 5, seeded(8))
    plain = rollout(model, instance, encoded, z, starts, uniforms)
    model.problem = problems.load("cvrptw", vehicles_first=True)
    fleet = rollout(model, instance, encoded, z, starts, uniforms)
    assert torch.equal(fleet.actions, plain.actions)
    for row in range(2):
        one, price = instance.rows([row]), float(vehicle_price(instance)[row])
        for actions, cost, length in zip(fleet.actions[row], fleet.costs[row], plain.costs[row]):
            vehicles = len(model.problem.solution(one, actions))
            assert float(cost) == pytest.approx(vehicles * price + float(length), rel=1e-12)


def test_latents_stay_in_the_ball() -> None:
    model = network("tsp", False)
    _, encoded, _ = prepared(model, 2, 5, 1)
    z = sample_latents(encoded, 500, 1.5, seeded(0))
    norms = z.norm(dim=-1)
    assert norms.max() <= 1.5 + 1e-5
    assert (norms > 1.5 - 1e-5).any() and (norms < 1.4).any()
