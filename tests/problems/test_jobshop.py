"""Job shop: schedules by hand, what the decoder is shown, and what the checker says of tampered schedules."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lgs import problems
from lgs.problems.jobshop import Instance, JobShop

from .episodes import all_actions, random_actions, seeded

PROBLEM = problems.load("jobshop")
#: Three jobs on three machines; the last operation takes no time. The least makespan is 11.
SHOP = Instance(
    durations=torch.tensor([[3, 2, 2, 2, 1, 4, 4, 3, 0]]),
    machines=torch.tensor([[0, 1, 2, 0, 2, 1, 1, 2, 0]]),
    jobs=3,
)
BEST = [[2, 5, 7], [0, 2, 7], [0, 4, 7]]


def violations(starts: list[list[int]]) -> tuple[str, ...]:
    return PROBLEM.check(SHOP, starts).violations


def test_a_known_optimum() -> None:
    assert PROBLEM.check(SHOP, BEST) == problems.Verdict(11.0)
    actions = PROBLEM.actions(SHOP, BEST)
    assert PROBLEM.solution(SHOP, actions) == BEST
    assert PROBLEM.cost(SHOP, actions[None, None]).tolist() == [[11]]
    every = all_actions(PROBLEM, SHOP)
    assert len(every) == math.factorial(9) // math.factorial(3) ** 3
    assert PROBLEM.cost(SHOP, every[None]).min() == 11


def test_each_fault_is_named() -> None:
    assert violations([[2, 4, 7], [0, 2, 7], [0, 4, 7]]) == ("operation 2 of job 1 starts before operation 1 ends",)
    assert violations([[2, 5, 7], [-1, 2, 7], [0, 4, 7]]) == ("operation 1 of job 2 starts before time 0",)
    assert violations([[1, 5, 7], [0, 2, 7], [0, 4, 7]]) == ("machine 1 runs job 2 and job 1 at the same time",)
    assert violations([[2, 5, 7], [0, 2, 6], [0, 4, 7]]) == ("machine 2 runs job 1 and job 2 at the same time",)
    assert violations([[2, 5, 7], [0, 2, 7]]) == ("start times of 2 jobs are given, there are 3",)
    assert violations([[2, 5, 7], [0, 2], [0, 4, 7]]) == ("job 2 has 2 start times, but 3 operations",)
    assert PROBLEM.check(SHOP, [[0]]).cost == math.inf


def test_a_long_operation_overlaps_all_that_run_meanwhile() -> None:
    instance = Instance(torch.tensor([[10, 1, 1]]), torch.zeros(1, 3, dtype=torch.long), 3)
    assert PROBLEM.check(instance, [[0], [2], [5]]).violations == (
        "machine 1 runs job 1 and job 2 at the same time",
        "machine 1 runs job 1 and job 3 at the same time",
    )


def test_idle_time_is_feasible_and_replayed_without() -> None:
    late = [[2, 5, 70], [0, 2, 7], [0, 4, 7]]
    assert PROBLEM.check(SHOP, late) == problems.Verdict(72.0)
    assert PROBLEM.solution(SHOP, PROBLEM.actions(SHOP, late)) == BEST


def test_an_operation_that_takes_no_time_goes_first() -> None:
    instance = Instance(torch.tensor([[5, 0]]), torch.zeros(1, 2, dtype=torch.long), 2)
    assert PROBLEM.check(instance, [[0], [0]]) == problems.Verdict(5.0)
    assert PROBLEM.solution(instance, PROBLEM.actions(instance, [[0], [0]])) == [[0], [0]]


def test_what_the_decoder_is_shown() -> None:
    """At the start job 3 is the longest; once it has begun, machine 2 is taken until 4."""
    bound = float(SHOP.bound())
    assert bound == 10  # machine 2 works 2 + 4 + 4
    state = PROBLEM.reset(SHOP, 1)
    opened = PROBLEM.allowed(SHOP, state)[0, 0]
    assert opened.nonzero().flatten().tolist() == [0, 3, 6]
    begin = PROBLEM.dynamic_features(SHOP, state)[0, 0][opened]
    torch.testing.assert_close(begin * bound, torch.tensor([[0.0, 0], [0, 0], [0, 0]]))  # three jobs of length 7
    state = PROBLEM.step(SHOP, state, torch.tensor([[0]]))
    opened = PROBLEM.allowed(SHOP, state)[0, 0]
    assert opened.nonzero().flatten().tolist() == [1, 3, 6]
    later = PROBLEM.dynamic_features(SHOP, state)[0, 0][opened]
    # Earliest starts 3, 3, 0; ends of the jobs 7, 10, 7.
    torch.testing.assert_close(later * bound, torch.tensor([[3.0, 0], [3, 3], [0, 0]]))
    torch.testing.assert_close(PROBLEM.context(SHOP, state).scalars, torch.tensor([[[1 / 9]]]))


def test_what_the_encoder_is_shown() -> None:
    """Duration, machine, position and job as shares; work left in the job and work of the machine over the bound."""
    (table,) = PROBLEM.features(SHOP)
    third = 1 / 3
    assert table[0, 1].tolist() == pytest.approx([2 / 4, 2 * third, 2 * third, third, 4 / 10, 10 / 10])
    assert table[0, 5].tolist() == pytest.approx([4 / 4, 2 * third, 1, 2 * third, 4 / 10, 10 / 10])
    assert table[0, 6].tolist() == pytest.approx([4 / 4, 2 * third, third, 1, 7 / 10, 10 / 10])
    assert table[0, 7].tolist() == pytest.approx([3 / 4, 1, 2 * third, 1, 3 / 10, 6 / 10])


def test_relations() -> None:
    same_job, same_machine, following = PROBLEM.relation(SHOP)[0]
    machines = SHOP.machines[0].tolist()
    for a, b in itertools.product(range(9), repeat=2):
        assert same_job[a, b] == (a // 3 == b // 3)
        assert same_machine[a, b] == (machines[a] == machines[b])
        assert following[a, b] == (b == a + 1 and b % 3 != 0)


def test_features_do_not_know_the_unit_of_time() -> None:
    instance = PROBLEM.generate(3, 4, seeded(0))
    scaled = Instance(instance.durations * 60, instance.machines, instance.jobs)
    torch.testing.assert_close(PROBLEM.features(scaled), PROBLEM.features(instance))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), jobs=st.integers(2, 5), machines=st.integers(2, 4), data=st.data())
def test_tampered_schedules(seed: int, jobs: int, machines: int, data: st.DataObject) -> None:
    problem = JobShop(machines)
    instance = problem.generate(1, jobs, seeded(seed))
    lengths = instance.durations.view(jobs, machines).tolist()
    schedule = problem.solution(instance, random_actions(problem, instance, 1, seeded(seed))[0, 0])
    assert problem.check(instance, schedule).feasible
    job, step = data.draw(st.integers(0, jobs - 1)), data.draw(st.integers(1, machines - 1))

    hurried = [list(starts) for starts in schedule]
    hurried[job][step] = hurried[job][step - 1] + lengths[job][step - 1] - 1
    fault = f"operation {step + 1} of job {job + 1} starts before operation {step} ends"
    assert fault in problem.check(instance, hurried).violations

    swapped = [list(starts) for starts in schedule]
    swapped[job][step - 1], swapped[job][step] = swapped[job][step], swapped[job][step - 1]
    assert fault in problem.check(instance, swapped).violations

    dropped = [starts[:-1] if i == job else starts for i, starts in enumerate(schedule)]
    assert problem.check(instance, dropped).violations == (
        f"job {job + 1} has {machines - 1} start times, but {machines} operations",
    )

    # Two operations of one machine at one time, far after everything else of their jobs.
    where = instance.machines.view(jobs, machines).tolist()
    other = (job + 1) % jobs
    last = where[job][-1]
    clash = [list(starts) for starts in schedule]
    for row in (job, other):
        begin = 10_000
        for p in range(where[row].index(last), machines):
            clash[row][p] = begin
            begin += 1_000
    first, second = sorted((job + 1, other + 1), key=lambda j: (lengths[j - 1][where[j - 1].index(last)], j))
    overlap = f"machine {last + 1} runs job {first} and job {second} at the same time"
    assert overlap in problem.check(instance, clash).violations
