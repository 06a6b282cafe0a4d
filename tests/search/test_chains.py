"""Chains, proposals, overlays and adaptation: each changes what it claims and nothing else."""

from __future__ import annotations

import dataclasses
import itertools
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from torch import Tensor

from lgs import kernel, search
from lgs.model import Gaussian
from lgs.search import Target, de, lgs
from lgs.search.base import chains, overlay
from lgs.search.base.adaptation import Adapting
from lgs.search.base.chains import ChainParams
from lgs.search.base.interaction import iterate
from lgs.search.base.noise import Noise
from lgs.search.base.optimizer import Descent
from lgs.search.base.proposals import InteractingParams, distinct_pairs, interacting

from . import small


def noise_for(target: Target, seed: int = 0) -> Noise:
    return Noise(seed, len(target.instance), target.augment)


class TestNoise:
    def test_rows_are_their_own_streams(self) -> None:
        many, alone = Noise(4, 3, images=2), Noise(6, 1, images=2)
        for _ in range(2):
            drawn, single = many.normal(5), alone.normal(5)
            assert torch.equal(drawn[2], single[0]) and torch.equal(drawn[5], single[1])
        assert len({tuple(row.tolist()) for row in drawn}) == 6


class TestMetropolis:
    def test_ratio_by_hand(self) -> None:
        prior = Gaussian(torch.tensor([[1.0]]), torch.tensor([[0.0]]))
        z, proposed = torch.tensor([[[1.0]]]), torch.tensor([[[2.0]]])
        cost, new = torch.tensor([[3.0]]), torch.tensor([[2.5]])
        ratio = chains.log_ratio(prior, z, proposed, cost, new, 2.0)
        assert float(ratio) == pytest.approx(-0.5 + 2.0 * 0.5)
        assert float(chains.log_ratio(prior, z, proposed, cost, new, 2.0, prior_power=0.0)) == pytest.approx(1.0)

    def test_outside_the_ball_is_rejected(self) -> None:
        target = small.target(batch=2)
        noise = noise_for(target)
        before = chains.begin(target, 5, noise)
        far = before.z * 0 + target.model.config.radius
        params = ChainParams(particles=5, lam=0.0, prior_power=0.0)
        move = chains.metropolis(target, params, before, far, noise)
        after, accepted = move.chains, move.accepted
        assert not accepted.any() and torch.equal(after.z, before.z) and torch.equal(after.costs, before.costs)
        inside = chains.metropolis(target, params, before, far / 10, noise)
        assert inside.accepted.all(), "with neither prior nor cost everything else is accepted"

    def test_a_state_moves_as_a_whole(self) -> None:
        target = small.target("cvrp", batch=3, size=8, decoding="sampled")
        noise = noise_for(target)
        state = chains.begin(target, 12, noise)
        params = InteractingParams(particles=12, lam=20.0)
        for _ in range(5):
            before = state
            move = iterate(target, params, state, noise)
            state, accepted = move.chains, move.accepted
            same = (state.z == before.z).all(-1)
            assert torch.equal(same, ~accepted)
            assert torch.equal(target.problem.cost(target.images, state.actions), state.costs)
            assert torch.equal(state.starts, before.starts)
            assert torch.equal(state.actions[~accepted], before.actions[~accepted])
        assert 0 < accepted.double().mean() < 1

    def test_starts_stay_with_their_chains(self) -> None:
        target = small.target("tsp", decoding="sampled")
        noise = noise_for(target)
        state = chains.begin(target, 9, noise)
        for _ in range(3):
            state = iterate(target, InteractingParams(particles=9, lam=1.0), state, noise).chains
        assert torch.equal(state.actions[..., 0], state.starts)
        assert state.starts[0].tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2]

    def test_lambda_grows(self) -> None:
        target = small.target("tsp", size=10, decoding="sampled")
        rates = []
        for growth in (1.0, 3.0):
            noise = noise_for(target)
            state = chains.begin(target, 200, noise)
            params = ChainParams(particles=200, lam=1.0, growth=growth)
            for _ in range(6):
                move = chains.metropolis(target, params, state, state.z + 0.1, noise)
                state = chains.advanced(move.chains)
            rates.append(float(move.accepted.double().mean()))
        assert rates[1] < 0.5 * rates[0]

    def test_lambda_stays_finite_however_long_a_search_is(self) -> None:
        params = ChainParams(lam=2.0, growth=1.5)
        assert params.lam_at(3) == pytest.approx(2.0 * 1.5**3)
        assert params.lam_at(10**9) == params.lam_at(10**8) < 1e30
        assert ChainParams(lam=2.0, growth=0.5).lam_at(10**9) == 0.0


class TestProposals:
    z = torch.arange(6.0).pow(2)[None, :, None].expand(2, -1, 3)

    def propose(self, **settings: Any) -> Tensor:
        params = InteractingParams(particles=6, gamma=1.0, **{"sigma2": 0.0, **settings})
        return interacting(params, self.z, self.z, Noise(1, 2))

    def test_a_step_is_a_difference_of_two_chains(self) -> None:
        steps = (self.propose() - self.z)[..., 0]
        differences = self.z[0, :, 0, None] - self.z[0, :, 0]
        assert all(float(step) in differences.flatten().tolist() for step in steps.flatten())

    def test_distinct_excludes_the_chain_itself(self) -> None:
        counts = torch.zeros(6, 6, 6)
        noise = Noise(0, 1)
        for _ in range(2000):
            first, second = distinct_pairs(6, noise, 1)
            counts[torch.arange(6), first[0], second[0]] += 1
        seen = counts > 0
        for k in range(6):
            assert not seen[k, k].any() and not seen[k, :, k].any() and not seen[k].diagonal().any()
        # Each of 20 pairs has probability 1/20; 5 standard deviations for 120 counts.
        expected = 2000 / 20
        assert (counts[seen] - expected).abs().max() < 5 * expected**0.5

    def test_parents_of_differential_evolution(self) -> None:
        """Three others, all different, every ordered triple of them as likely as any."""
        counts = torch.zeros(5, 5, 5, 5)
        noise = Noise(0, 1)
        for _ in range(2400):
            first, second, third = de.parents(5, noise, 1)
            counts[torch.arange(5), first[0], second[0], third[0]] += 1
        for k in range(5):
            triples = set(itertools.permutations([other for other in range(5) if other != k], 3))
            assert {tuple(triple.tolist()) for triple in counts[k].nonzero()} == triples
        # Each of 24 triples has probability 1/24; 5 standard deviations for 100 counts.
        assert (counts[counts > 0] - 100).abs().max() < 50
        assert all(index.max() < 3 for index in de.parents(3, noise, 1))

    def test_differential_evolution_keeps_what_is_better(self) -> None:
        target = small.target("cvrp", batch=2, size=8, decoding="sampled")
        noise, params = noise_for(target), search.parameters("de", {"particles": 9})
        before = de.init(target, params, noise)
        after, info = de.step(target, params, before, noise)
        assert info.accepted is not None and 0 < info.accepted.double().mean() < 1
        assert torch.equal(after.costs < before.costs, info.accepted)
        assert torch.equal((after.z != before.z).any(-1), info.accepted)

    def test_crossover_keeps_coordinates(self) -> None:
        proposed = self.propose(crossover=0.5, sigma2=1.0)
        kept = (proposed == self.z).double().mean()
        assert 0.2 < kept < 0.8
        assert (self.propose(sigma2=1.0) != self.z).all()

    def test_random_base(self) -> None:
        moved = self.propose(base="random", crossover=1.0)
        assert not torch.equal(moved, self.propose())

    @pytest.mark.parametrize("interaction", ["simultaneous", "distinct", "split"])
    def test_few_chains_fall_back_to_the_random_walk(self, interaction: Any) -> None:
        target = small.target()
        noise = noise_for(target)
        params = InteractingParams(particles=1, interaction=interaction, lam=0.0, prior_power=0.0)
        state = chains.begin(target, 1, noise)
        move = iterate(target, params, state, noise)
        after = move.chains
        assert move.accepted.shape == (1, 1) and move.proposed.z.shape == after.z.shape and after.iteration == 1
        assert 0 < float((after.z - state.z).abs().max()) < 1.0

    def test_split_moves_one_half_by_the_other(self) -> None:
        target = small.target()
        noise = noise_for(target)
        state = chains.begin(target, 8, noise)
        # The halves are far apart inside, alike within: nobody can move by more than the noise of the other half.
        flat = dataclasses.replace(state, z=state.z * 0)
        params = InteractingParams(particles=8, interaction="split", sigma2=0.0, lam=0.0, prior_power=0.0)
        spread = dataclasses.replace(flat, z=torch.cat((flat.z[:, :4], state.z[:, 4:]), 1))
        after = iterate(target, params, spread, noise).chains
        assert (after.z[:, :4] != 0).any(), "the first half borrows the second's differences"
        still = iterate(target, params, flat, noise).chains
        assert torch.equal(still.z, flat.z)


class TestOverlay:
    def test_empty_overlay_is_the_model(self) -> None:
        target = small.target("cvrp", batch=2)
        z = chains.draw_prior(target, 4, noise_for(target))
        plain, laid = target.model.tables(target.encoded, z), overlay.tables(target.model, target.encoded, z, {})
        assert all(torch.equal(a, b) for a, b in zip(plain._tensors(), laid._tensors()))

    @pytest.mark.parametrize("problem", ["tsp", "cvrp", "jobshop"])
    def test_every_weight_over_itself_is_the_model(self, problem: str) -> None:
        target = Target(small.model(problem, latent_residual=True), small.instances(problem, 2))
        z = chains.draw_prior(target, 4, noise_for(target))
        own = {name: overlay.weight(target.model, name, 2) for name, _ in target.model.decoder.named_parameters()}
        plain, laid = target.model.tables(target.encoded, z), overlay.tables(target.model, target.encoded, z, own)
        assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(plain._tensors(), laid._tensors()))

    def test_one_row_one_weight(self) -> None:
        target = small.target("tsp", batch=3)
        z = chains.draw_prior(target, 4, noise_for(target))
        output = overlay.weight(target.model, overlay.OUTPUT, 3)
        output[1] += 0.5
        plain = target.model.tables(target.encoded, z)
        for own in ({overlay.OUTPUT: output}, {overlay.OUTPUT: output, "keys.weight": self.keys(target)}):
            laid = overlay.tables(target.model, target.encoded, z, own)
            for field in dataclasses.fields(plain):
                a, b = getattr(plain, field.name), getattr(laid, field.name)
                if not isinstance(a, Tensor):
                    assert a == b
                    continue
                changed = [not torch.allclose(a[row], b[row], atol=1e-6) for row in range(3)]
                assert changed == ([False, True, False] if field.name == "logit_keys" else [False] * 3), field.name

    @staticmethod
    def keys(target: Target) -> Tensor:
        return overlay.weight(target.model, "keys.weight", 3)


class TestAdaptation:
    def state(self, name: str, steps: int, **settings: Any) -> tuple[Target, Any]:
        target = small.target("cvrp", batch=2, size=8, decoding="sampled")
        method, params = search.load(name), search.parameters(name, {"particles": 8, **settings})
        noise = noise_for(target)
        state = method.init(target, params, noise)
        for _ in range(steps):
            state, _ = method.step(target, params, state, noise)
        return target, state

    def test_lgs_updates_on_its_schedule(self) -> None:
        outputs = [self.state("lgs", steps, intervals=(1, 1, 3))[1].theta for steps in range(9)]
        moved = [not torch.equal(a, b) for a, b in itertools.pairwise(outputs)]
        assert moved == [True, True, False, False, True, False, False, True], "after 1, 2, 5, 8, ..."

    def test_lgs_without_updates_is_interacting(self) -> None:
        _, never = self.state("lgs", 5, intervals=[])
        _, plain = self.state("interacting", 5)
        assert torch.equal(never.chains.z, plain.z) and torch.equal(never.chains.costs, plain.costs)

    @pytest.mark.parametrize("part", ["output", "keys"])
    @pytest.mark.parametrize("imitation", [0.0, 0.3])
    def test_lgs_step_by_hand(self, imitation: float, part: str) -> None:
        target, state = self.state("lgs", 2, intervals=(10,), part=part)
        settings = {"rate": 2.0, "optimizer": "sgd", "imitation": imitation, "part": part}
        params = search.parameters("lgs", {"particles": 8, **settings})
        after = lgs.update(target, params, state, state.chains, noise_for(target))
        leaf, population = state.theta.clone().requires_grad_(), state.chains
        if part == "output":
            tables = overlay.tables(target.model, target.encoded, population.z, {overlay.OUTPUT: leaf})
        else:
            folded = leaf @ target.model.decoder.output.weight / target.model.config.dim**0.5
            tables = target.model.tables(target.encoded, population.z)
            tables = dataclasses.replace(tables, logit_keys=folded)
        log_probs = kernel.score(target.problem, target.images, tables, population.actions, population.starts)
        costs = population.costs / population.unit
        objective = ((costs - costs.mean(1, keepdim=True)) * log_probs).mean(1).sum()
        objective = objective - imitation * log_probs.gather(1, costs.argmin(1, keepdim=True)).sum()
        (gradient,) = torch.autograd.grad(objective, leaf)
        assert torch.allclose(after.theta, state.theta - 2.0 * gradient, atol=1e-5)
        assert float(gradient.abs().max()) > 1e-3
        assert torch.equal(after.chains.z, state.chains.z), "chains go on"

    def test_some_solutions_stand_for_all(self) -> None:
        """Systematic sampling over a grid of offsets: the gradients' mean is that of the whole population."""
        target, state = self.state("lgs", 2, intervals=(10,))
        weights = lgs.advantages(state.chains)
        whole = lgs.gradient(target, "keys", state.theta, state.chains, weights)
        found = []
        for tick in range(400):
            noise = cast(Noise, SimpleNamespace(uniform=lambda at=tick: torch.full((2,), (at + 0.5) / 400)))
            chosen, others = lgs.some(state.chains, weights, 3, noise)
            assert chosen.z.shape[1] == 3
            found.append(lgs.gradient(target, "keys", state.theta, chosen, others))
        assert torch.allclose(torch.stack(found).mean(0), whole, atol=0.02 * float(whole.abs().max()))
        assert not torch.allclose(found[0], whole, atol=0.02 * float(whole.abs().max()))

    @pytest.mark.parametrize("part", ["output", "keys"])
    def test_lgs_changes_the_last_layer_and_nothing_else(self, part: Any) -> None:
        target, state = self.state("lgs", 3, part=part)
        params = search.parameters("lgs", {"part": part})
        assert isinstance(params, lgs.Params)
        plain = target.model.tables(target.encoded, state.chains.z)
        laid = overlay.tables(target.model, target.encoded, state.chains.z, lgs.adapted(target, params, state))
        moved = [
            field.name
            for field in dataclasses.fields(plain)
            if isinstance(getattr(plain, field.name), Tensor)
            and not torch.equal(getattr(plain, field.name), getattr(laid, field.name))
        ]
        assert moved == ["logit_keys"]

    def test_steps_become_smaller_with_the_updates(self) -> None:
        """theta_u = theta_(u-1) - rate / u^decay H(theta_(u-1)): steps of 1, 1/4, 1/9, ... times the rate."""
        target, state = self.state("lgs", 1, intervals=(10,))
        settings = {"particles": 8, "rate": 2.0, "optimizer": "sgd", "decay": 2.0, "imitation": 0.0, "scored": 0}
        params = search.parameters("lgs", settings)
        for share in (1, 1 / 4, 1 / 9):
            after = lgs.update(target, params, state, state.chains, noise_for(target))
            slope = lgs.gradient(target, "keys", state.theta, state.chains, lgs.advantages(state.chains))
            assert torch.allclose(after.theta, state.theta - 2.0 * share * slope, atol=1e-6)
            assert float((2.0 * share * slope).abs().max()) > 1e-3
            state = after

    @pytest.mark.parametrize("interaction", ["simultaneous", "split"])
    def test_proposals_are_what_was_evaluated(self, interaction: Any) -> None:
        target = small.target("cvrp", batch=2, size=8, decoding="sampled")
        noise = noise_for(target)
        before = chains.begin(target, 7, noise)
        params = InteractingParams(particles=7, lam=20.0, interaction=interaction)
        move = iterate(target, params, before, noise)
        assert torch.equal(target.problem.cost(target.images, move.proposed.actions), move.proposed.costs)
        for name in ("z", "actions", "costs"):
            proposed, now, old = (getattr(x, name) for x in (move.proposed, move.chains, before))
            assert torch.equal(now[move.accepted], proposed[move.accepted]), "accepted ones are the new states"
            assert torch.equal(now[~move.accepted], old[~move.accepted])

    def test_sources_of_updates(self) -> None:
        """The three populations differ, so do the weights; the chains' own way is the same up to the update."""
        found = [self.state("lgs", 1, source=source)[1] for source in ("chains", "proposals", "fresh")]
        assert torch.equal(found[0].chains.z, found[1].chains.z) and torch.equal(found[0].chains.z, found[2].chains.z)
        outputs = [state.theta for state in found]
        assert not any(torch.equal(a, b) for a, b in itertools.combinations(outputs, 2))

    def test_imitation_raises_the_probability_of_the_best_chain(self) -> None:
        target, state = self.state("lgs", 1, intervals=(100,))
        leader = search.load("lgs").best(state.chains)  # type: ignore[attr-defined]
        assert torch.equal(leader.costs[:, 0], state.chains.costs.amin(1))
        gains = []
        for imitation in (0.0, 10.0):
            params = search.parameters("lgs", {"particles": 8, "rate": 0.002, "imitation": imitation})
            after = lgs.update(target, params, state, state.chains, noise_for(target))
            own = lgs.adapted(target, params, after)
            tables = overlay.tables(target.model, target.encoded, leader.z, own)
            gains.append(kernel.score(target.problem, target.images, tables, leader.actions, leader.starts))
        assert (gains[1] > gains[0]).all()

    def test_restart_decodes_again(self) -> None:
        _, going_on = self.state("lgs", 1, rate=0.5)
        target, restarted = self.state("lgs", 1, rate=0.5, restart=True)
        assert torch.equal(going_on.chains.z, restarted.chains.z)
        assert not torch.equal(going_on.chains.actions, restarted.chains.actions)
        again = target.problem.cost(target.images, restarted.chains.actions)
        assert torch.equal(again, restarted.chains.costs)

    @pytest.mark.parametrize(("name", "settings"), [("eas", {}), ("eas", {"variant": "lay"}), ("active", {})])
    def test_adapting_methods_change_what_they_claim(
        self, name: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And only that: EAS-Emb and EAS-Lay what the last attention sees, active search everything but z's part."""
        laid: list[overlay.Overlay] = []
        evaluate = Target.evaluate

        def watched(target: Target, z: Tensor, starts: Tensor, uniforms: Any = None, over: Any = None) -> Any:
            laid.append(over or {})
            return evaluate(target, z, starts, uniforms, over)

        monkeypatch.setattr(Target, "evaluate", watched)
        target, state = self.state(name, 2, **settings)
        assert isinstance(state, Adapting) and len(laid) == 3
        plain, first, second = (overlay.tables(target.model, target.encoded, state.z, over) for over in laid)
        tables = ("query", "anchors", "scalars", "keys", "values", "logit_keys")
        for table in tables:
            assert torch.allclose(getattr(plain, table), getattr(first, table), atol=1e-6), "the model's own at first"
        moved = {table for table in tables if not torch.equal(getattr(first, table), getattr(second, table))}
        assert moved == (set(tables) if name == "active" else {"logit_keys"})

    @pytest.mark.parametrize("variant", ["emb", "lay"])
    def test_eas_step_by_hand(self, variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Adam on mean (C - b) log p(y) - imitation log p(best), over k_i or over A in g + A g."""
        made: list[Any] = []
        evaluate = Target.evaluate
        monkeypatch.setattr(Target, "evaluate", lambda *given: made.append(evaluate(*given)) or made[-1])
        target, state = self.state("eas", 1, variant=variant, imitation=0.3, rate=0.01)
        decoder, dim = target.model.decoder, target.model.config.dim
        keys = decoder.logit_keys(target.encoded.nodes).detach()
        leaf = (keys.clone() if variant == "emb" else torch.zeros(2, dim, dim)).requires_grad_()
        folded = leaf @ decoder.output.weight if variant == "emb" else keys @ (decoder.output.weight @ leaf)
        folded = folded if variant == "emb" else folded + keys @ decoder.output.weight

        def log_probs(z: Tensor, actions: Tensor, starts: Tensor) -> Tensor:
            tables = overlay.tables(target.model, target.encoded, z, {"logit_keys": folded / dim**0.5})
            return kernel.score(target.problem, target.images, tables, actions, starts)

        costs, best = made[1].costs / state.unit, state.best
        weights = (costs - costs.mean(1, keepdim=True)).float()
        objective = (weights * log_probs(state.z, made[1].actions, state.starts)).mean(1).sum()
        objective = objective - 0.3 * log_probs(best.z, best.actions, best.starts).sum()
        optimizer = torch.optim.Adam([leaf], lr=0.01)
        objective.backward()
        optimizer.step()
        assert torch.allclose(state.leaves[0], leaf, atol=1e-4)
        assert torch.equal(best.costs[:, 0], torch.cat([one.costs for one in made], 1).amin(1))

    def test_imitation_raises_the_probability_of_the_best(self) -> None:
        gains = []
        for imitation in (0.0, 10.0):
            target, state = self.state("eas", 6, imitation=imitation, rate=0.01)
            decoder, best = target.model.decoder, state.best
            folded = decoder.fold_output(decoder.output.weight, state.leaves[0])
            tables = overlay.tables(target.model, target.encoded, best.z, {"logit_keys": folded})
            gains.append(kernel.score(target.problem, target.images, tables, best.actions, best.starts).mean())
        assert gains[1] > gains[0] + 0.1


class TestDescent:
    def test_adam_is_torch_adam(self) -> None:
        torch.manual_seed(0)
        weight = torch.randn(4, 3)
        theirs = weight.clone().requires_grad_()
        optimizer = torch.optim.Adam([theirs], lr=0.1)
        ours, descent = [weight], Descent.of([weight])
        for _ in range(5):
            gradient = torch.randn(4, 3)
            theirs.grad = gradient.clone()
            optimizer.step()
            ours, descent = descent.step(ours, [gradient], 0.1)
        assert torch.allclose(ours[0], theirs, atol=1e-6)

    def test_sgd(self) -> None:
        moved, descent = Descent.of([torch.ones(2)]).step([torch.ones(2)], [torch.tensor([1.0, -2.0])], 0.5, "sgd")
        assert moved[0].tolist() == [0.5, 2.0] and descent.steps == 1
