"""How models are trained: losses, the trainer, recipes."""
