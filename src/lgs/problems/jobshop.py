"""Job shop: run every job's operations in order, each on its machine, and finish as early as possible."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from .base import NONE, Context, Problem, Rules, Solution, Verdict, at, trim
from .batched import Batched


@dataclass(frozen=True)
class Instance(Batched):
    """Nodes are operations, job after job: operation p of job j is node j * M + p, J jobs of M operations."""

    durations: Tensor
    """[B, J * M] int64"""
    machines: Tensor
    """[B, J * M] int64 in [0, M): where each operation runs."""
    jobs: int
    """J"""

    @property
    def steps(self) -> int:
        """M, the operations of a job and the number of machines."""
        return self.durations.shape[1] // self.jobs

    def tails(self) -> Tensor:
        """[B, J * M] int64 work of the job from each operation on."""
        durations = self.durations.view(len(self), self.jobs, self.steps)
        return durations.flip(-1).cumsum(-1).flip(-1).flatten(1)

    def loads(self) -> Tensor:
        """[B, M] int64 work of each machine."""
        return self.durations.new_zeros((len(self), self.steps)).scatter_add(1, self.machines, self.durations)

    def bound(self) -> Tensor:
        """[B] int64 lower bound on the makespan, the longest job or the busiest machine: the scale of time."""
        return self.tails().amax(-1).maximum(self.loads().amax(-1)).clamp_min(1)


@dataclass(frozen=True)
class State(Batched):
    done: Tensor
    """[B, K, J] int64 how many operations of each job are scheduled."""
    job_free: Tensor
    """[B, K, J] int64 when each job's last scheduled operation ends."""
    machine_free: Tensor
    """[B, K, M] int64"""
    last: Tensor
    """[B, K] the operation scheduled last, `NONE` before the first."""


class JobShop(Problem[Instance, State]):
    """Job-shop scheduling problem

    The decoder lines operations up; each starts as soon as its job and its machine are free. Solutions are the
    start times of every job's operations.
    """

    unit = "makespan"
    anchors = ("last",)
    scalars = ("share scheduled",)
    dynamic = ("earliest start", "earliest end of the job")
    relations = ("same job", "same machine", "next in job")
    feature_widths = (6,)

    def __init__(self, machines: int | None = None) -> None:
        """`machines` of generated instances; None: as many as jobs."""
        self.machines = machines

    def generate(self, batch: int, size: int, generator: Generator | None = None) -> Instance:
        """`size` jobs; Taillard's uniform times 1 to 99, machines in random order."""
        machines = self.machines or size
        durations = torch.randint(1, 100, (batch, size * machines), generator=generator)
        order = torch.rand(batch, size, machines, generator=generator).argsort(-1)
        return Instance(durations, order.flatten(1), size)

    def num_nodes(self, instance: Instance) -> int:
        return instance.durations.shape[1]

    def features(self, instance: Instance) -> tuple[Tensor, ...]:
        """The paper's (duration, machine, position, job), the job's work from here on, the machine's work."""
        jobs, steps = instance.jobs, instance.steps
        node = torch.arange(jobs * steps, device=instance.device).expand_as(instance.durations)
        bound = instance.bound()[:, None]
        columns = (
            instance.durations / instance.durations.amax(-1, keepdim=True).clamp_min(1),
            (instance.machines + 1) / steps,
            (node % steps + 1) / steps,
            (node // steps + 1) / jobs,
            instance.tails() / bound,
            instance.loads().gather(1, instance.machines) / bound,
        )
        return (torch.stack(columns, -1).float(),)

    def relation(self, instance: Instance) -> Tensor:
        node = torch.arange(self.num_nodes(instance), device=instance.device)
        job = node // instance.steps
        same_job = job[:, None] == job
        follows = same_job & (node[:, None] + 1 == node)
        same_machine = instance.machines[:, :, None] == instance.machines[:, None]
        return torch.stack((same_job.expand_as(same_machine), same_machine, follows.expand_as(same_machine)), 1)

    def rules(self, instance: Instance) -> Rules:
        """Everything that `step`, `allowed`, `context` and `dynamic_features` read."""
        arrays = {
            "durations": instance.durations,
            "machines": instance.machines,
            "tails": instance.tails(),
            "bound": instance.bound(),
            "jobs": torch.full_like(instance.durations[:, 0], instance.jobs),
        }
        return Rules("jobshop", arrays)

    def horizon(self, instance: Instance) -> int:
        return self.num_nodes(instance)

    def first_nodes(self, instance: Instance) -> Tensor:
        firsts = torch.arange(instance.jobs, device=instance.device) * instance.steps
        return firsts.expand(len(instance), -1)

    def reset(self, instance: Instance, particles: int) -> State:
        shape = (len(instance), particles)
        jobs = instance.durations.new_zeros((*shape, instance.jobs))
        machines = instance.durations.new_zeros((*shape, instance.steps))
        return State(jobs, jobs, machines, torch.full(shape, NONE, device=instance.device))

    def step(self, instance: Instance, state: State, action: Tensor) -> State:
        end = _earliest(instance, state, action) + at(instance.durations, action)
        job, machine = _is_at(instance, action)
        return State(
            done=state.done + job,
            job_free=torch.where(job, end[..., None], state.job_free),
            machine_free=torch.where(machine, end[..., None], state.machine_free),
            last=torch.where(action >= 0, action, state.last),
        )

    def allowed(self, instance: Instance, state: State) -> Tensor:
        position = torch.arange(instance.steps, device=instance.device)
        return (state.done[..., None] == position).flatten(-2)

    def context(self, instance: Instance, state: State) -> Context:
        share = state.done.sum(-1) / self.num_nodes(instance)
        return Context(state.last[..., None], share[..., None].float())

    def dynamic_features(self, instance: Instance, state: State) -> Tensor:
        """When the operation could start, and when its job could end then: over the least such time of the
        operations allowed, in units of the lower bound."""
        machines = instance.machines[:, None].expand(-1, state.last.shape[1], -1)
        job_free = state.job_free.repeat_interleave(instance.steps, -1)
        start = job_free.maximum(state.machine_free.gather(-1, machines))
        times = torch.stack((start, start + instance.tails()[:, None]), -1)
        shut = ~self.allowed(instance, state)[..., None]
        least = times.masked_fill(shut, torch.iinfo(times.dtype).max).amin(-2, keepdim=True)
        late = (times - least).masked_fill(shut, 0)
        return (late / instance.bound()[:, None, None, None]).float()

    def cost(self, instance: Instance, actions: Tensor) -> Tensor:
        state = self.reset(instance, actions.shape[1])
        for action in actions.unbind(-1):
            state = self.step(instance, state, action)
        return state.job_free.amax(-1).double()

    def solution(self, instance: Instance, actions: Tensor) -> Solution:
        steps, lengths, where = instance.steps, instance.durations[0].tolist(), instance.machines[0].tolist()
        times: Solution = [[] for _ in range(instance.jobs)]
        job_free, machine_free = [0] * instance.jobs, [0] * steps
        for node in trim(actions):
            job, machine = node // steps, where[node]
            times[job].append(max(job_free[job], machine_free[machine]))
            job_free[job] = machine_free[machine] = times[job][-1] + lengths[node]
        return times

    def actions(self, instance: Instance, solution: Solution) -> Tensor:
        """Operations in the order of their starts: played again, none starts later, and idle time closes up.

        Those that take no time go before others that start with them.
        """
        starts = list(itertools.chain.from_iterable(solution))
        ends = [start + length for start, length in zip(starts, instance.durations[0].tolist())]
        position = [p for job in solution for p in range(len(job))]
        order = sorted(range(len(starts)), key=lambda i: (starts[i], ends[i], position[i]))
        return torch.tensor(order, dtype=torch.long, device=instance.device)

    def check(self, instance: Instance, solution: Solution) -> Verdict:
        steps, lengths, where = instance.steps, instance.durations[0].tolist(), instance.machines[0].tolist()
        faults = []
        if len(solution) != instance.jobs:
            faults.append(f"start times of {len(solution)} jobs are given, there are {instance.jobs}")
        for job, starts in enumerate(solution, 1):
            if len(starts) != steps:
                faults.append(f"job {job} has {len(starts)} start times, but {steps} operations")
        if faults:
            return Verdict(float("inf"), tuple(faults))
        runs: list[list[tuple[int, int, int]]] = [[] for _ in range(steps)]
        for job, starts in enumerate(solution):
            free, before = 0, "time 0"
            for p, start in enumerate(starts):
                if start < free:
                    faults.append(f"operation {p + 1} of job {job + 1} starts before {before}")
                free, before = start + lengths[job * steps + p], f"operation {p + 1} ends"
                runs[where[job * steps + p]].append((start, free, job + 1))
        for machine, busy in enumerate(runs, 1):
            free, holder = min(busy, default=(0, 0, 0))[0], 0
            for start, end, job in sorted(busy):
                if start < free:
                    faults.append(f"machine {machine} runs job {holder} and job {job} at the same time")
                free, holder = max((free, holder), (end, job))
        return Verdict(float(max((end for busy in runs for _, end, _ in busy), default=0)), tuple(faults))


def _is_at(instance: Instance, action: Tensor) -> tuple[Tensor, Tensor]:
    """[B, K, J] and [B, K, M]: the one job and the one machine of `action` [B, K]; no one for `NONE`."""
    real = (action >= 0)[..., None]
    job = torch.arange(instance.jobs, device=action.device) == (action // instance.steps)[..., None]
    machine = torch.arange(instance.steps, device=action.device) == at(instance.machines, action)[..., None]
    return job & real, machine & real


def _earliest(instance: Instance, state: State, action: Tensor) -> Tensor:
    """[B, K] int64 when the operation `action` [B, K] can start: max of machine and job."""
    job, machine = _is_at(instance, action)
    return (state.job_free * job).sum(-1).maximum((state.machine_free * machine).sum(-1))
