"""What the decoder knows of an instance before the first step.

The decoder is one attention layer, so everything that does not depend on the step is computed once:
a step is a gather-add of the query, one masked multi-head attention, one masked logit product, a choice.

    query   q_t = query[k] + sum_a anchors[a, node_a] + sum_s scalar_s * scalars[s]
    scores  q_t . (keys_j + sum_f x_jf * feature_keys_f)         per head, masked softmax -> attention a_j
    glimpse g_t = residual[k] + sum_j a_j (values_j + sum_f x_jf * feature_values_f)
    logits  clip * tanh(g_t . (logit_keys_j + sum_f x_jf * feature_logits_f) + bias_j)
    bias_j  = pairwise[node_0, j] + sum_f x_jf * feature_bias_f

with the scales 1/sqrt(d_k), 1/sqrt(d) and the output projection W_O folded into keys and logit keys.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ..problems.batched import Batched


@dataclass(frozen=True)
class Tables(Batched):
    """Everything has its own row per instance, so that any weight can be adapted per instance."""

    query: Tensor
    """[B, K, d] what z (and the graph) put into the query of each particle."""
    anchors: Tensor
    """[B, A, N, d] what a node puts into the query as anchor a."""
    scalars: Tensor
    """[B, S, d] what one unit of scalar s puts into the query."""
    keys: Tensor
    """[B, N, d]"""
    values: Tensor
    """[B, N, d]"""
    logit_keys: Tensor
    """[B, N, d], W_O^T k_i / sqrt(d)."""
    residual: Tensor | None = None
    """[B, K, d] what z adds to the glimpse (extension)."""
    pairwise: Tensor | None = None
    """[B, N, N] logit bias of (first anchor, candidate) (extension)."""
    feature_keys: Tensor | None = None
    """[B, F, d], and the three below, present when the problem has dynamic node features."""
    feature_values: Tensor | None = None
    feature_logits: Tensor | None = None
    feature_bias: Tensor | None = None
    """[B, F]"""
    heads: int = 8
    clip: float = 10.0
