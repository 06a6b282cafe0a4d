"""What every method stands on: the target, the budget, the noise, the chains, the run."""
