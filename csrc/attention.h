// The products between a block of rows and the tables. A row is one query: a particle at one step.
//
// Every row carries the list of nodes it may go to and touches no other: in a tour half of the nodes are visited on
// average, so half the work of a dense product does not exist. The price is that each multiply-add loads its table
// entry anew, so the tables are walked in chunks that stay in L1 while all rows of the block use them; L1 then feeds
// the multiply-adds at their full rate.
#pragma once
#include "simd.h"
#include "tables.h"

namespace lgs {
namespace LGS_LEVEL {

/// Nodes of the longest chunk. Of 16, 32, 64 and 128 nodes with blocks of 8 to 64 rows, this one with kBlock rows was
/// fastest at n = 100: shorter ones lose more to starting over than they win from L1.
constexpr int kChunk = 64;
/// Vectors of a row that fit in registers beside what a product needs.
constexpr int kHeld = kNative == 16 ? 8 : kNative == 8 ? 4 : 2;

struct Row {
  int count;         // of nodes it may go to
  int32_t* nodes;    // ascending, with three more that repeat the last
  int part;          // of the list per chunk
  float* query;      // [row]
  float* weights;    // [count, 8] attention, up to the factors `inverse`
  float* inverse;    // [16] per head, in both halves
  float* glimpse;    // [row]
  float* logits;     // [count] before the tanh
  float* features;   // [count, F]
  float* feature_query;  // [F, 16] q . feature_keys per head, in both halves
  float* feature_mix;    // [F, 16] attention-weighted features, in both halves
  int32_t anchors[4];
  float scalars[4];
  int64_t particle;
  const float* residual;  // [row] what the particle adds to the glimpse, or null
  int taken;         // where in the list the action is, or -1
};

/// As few chunks as there can be. Lists are cut by position, not by node: rows with lists of one length then run loops
/// of one length, which the branch predictor learns (5 % faster at n = 100 than cutting at a node), and two rows' parts
/// of one chunk still hold nearly the same nodes.
LGS_INLINE int chunks(int nodes) { return (nodes + kChunk - 1) / kChunk; }

/// Calls body(row, begin, end) for each row's part of each chunk of nodes, chunk by chunk.
template <class Body>
LGS_INLINE void by_chunk(Row* rows, int count, int nodes, Body body) {
  for (int chunk = 0; chunk < chunks(nodes); ++chunk)
    for (int r = 0; r < count; ++r) {
      const int begin = chunk * rows[r].part, beyond = begin + rows[r].part;
      const int end = beyond < rows[r].count ? beyond : rows[r].count;
      if (begin < end) body(rows[r], begin, end);
    }
}

/// Divides the row's list among the chunks, in fours so that no group of four is ever cut.
inline void find_chunks(Row& row, int nodes) {
  row.part = ((row.count + chunks(nodes) - 1) / chunks(nodes) + 3) / 4 * 4;
  for (int i = 0; i < 3; ++i) row.nodes[row.count + i] = row.nodes[row.count - 1];
}

/// Dot products of `query` with four rows of a table: one sum per lane. D is the number of vectors, 0 if unknown.
template <int D>
LGS_INLINE void dot4(const float* query, const float* table, const int32_t* nodes, int64_t stride, Lanes* sums) {
  const float *a = table + nodes[0] * stride, *b = table + nodes[1] * stride;
  const float *c = table + nodes[2] * stride, *d = table + nodes[3] * stride;
  const int64_t lanes = D ? D * kLanes : stride;
  sums[0] = sums[1] = sums[2] = sums[3] = splat(0);
  _Pragma("GCC unroll 8") for (int64_t i = 0; i < lanes; i += kLanes) {
    const Lanes q = load(query + i);
    sums[0] = fma(q, load(a + i), sums[0]);
    sums[1] = fma(q, load(b + i), sums[1]);
    sums[2] = fma(q, load(c + i), sums[2]);
    sums[3] = fma(q, load(d + i), sums[3]);
  }
}

/// out[i, head] = query . table[nodes[i]] within each head.
template <int D>
LGS_INLINE void head_products(const float* query, const float* table, const int32_t* nodes, int begin, int end,
                              int64_t stride, float* out) {
  for (int i = begin; i < end; i += 4) {
    Lanes sums[4];
    dot4<D>(query, table, nodes + i, stride, sums);
    store(out + 8 * i, halves_added(sums[0], sums[1]));
    store(out + 8 * i + 16, halves_added(sums[2], sums[3]));
  }
}

/// out[i] = query . table[nodes[i]].
template <int D>
LGS_INLINE void products(const float* query, const float* table, const int32_t* nodes, int begin, int end,
                         int64_t stride, float* out) {
  for (int i = begin; i < end; i += 4) {
    Lanes sums[4];
    dot4<D>(query, table, nodes + i, stride, sums);
    store_sums(out + i, sums[0], sums[1], sums[2], sums[3]);
  }
}

/// A weight per node and head, or one per node.
struct PerHead {
  const float* values;
  LGS_INLINE Lanes operator[](int i) const { return both_halves(values + 8 * i); }
};
struct PerNode {
  const float* values;
  LGS_INLINE Lanes operator[](int i) const { return splat(values[i]); }
};

template <int Held, class Weights>
LGS_INLINE void mix_held(Weights weights, const float* table, const int32_t* nodes, int begin, int end, int64_t stride,
                         float* out) {
  Lanes sums[Held];
  _Pragma("GCC unroll 8") for (int v = 0; v < Held; ++v) sums[v] = load(out + v * kLanes);
  for (int i = begin; i < end; ++i) {
    const Lanes weight = weights[i];
    const float* from = table + nodes[i] * stride;
    _Pragma("GCC unroll 8") for (int v = 0; v < Held; ++v) sums[v] = fma(weight, load(from + v * kLanes), sums[v]);
  }
  _Pragma("GCC unroll 8") for (int v = 0; v < Held; ++v) store(out + v * kLanes, sums[v]);
}

/// out += sum_i weights[i] * table[nodes[i]].
template <class Weights>
LGS_INLINE void mix(Weights weights, const float* table, const int32_t* nodes, int begin, int end, int64_t stride,
                    float* out) {
  int64_t v = 0;
  for (; v + kHeld * kLanes <= stride; v += kHeld * kLanes)
    mix_held<kHeld>(weights, table + v, nodes, begin, end, stride, out + v);
  for (; v < stride; v += kLanes) mix_held<1>(weights, table + v, nodes, begin, end, stride, out + v);
}

template <int Held, class Weights>
LGS_INLINE void spread_held(Weights weights, const float* row, const int32_t* nodes, int begin, int end,
                            int64_t stride, float* table) {
  Lanes x[Held];
  _Pragma("GCC unroll 8") for (int v = 0; v < Held; ++v) x[v] = load(row + v * kLanes);
  for (int i = begin; i < end; ++i) {
    const Lanes weight = weights[i];
    float* to = table + nodes[i] * stride;
    _Pragma("GCC unroll 8") for (int v = 0; v < Held; ++v)
        store(to + v * kLanes, fma(weight, x[v], load(to + v * kLanes)));
  }
}

/// table[nodes[i]] += weights[i] * row: the transpose of `mix`.
template <class Weights>
LGS_INLINE void spread(Weights weights, const float* row, const int32_t* nodes, int begin, int end, int64_t stride,
                       float* table) {
  int64_t v = 0;
  for (; v + kHeld * kLanes <= stride; v += kHeld * kLanes)
    spread_held<kHeld>(weights, row + v, nodes, begin, end, stride, table + v);
  for (; v < stride; v += kLanes) spread_held<1>(weights, row + v, nodes, begin, end, stride, table + v);
}

/// Sums over a head's lanes of the product of two rows, in both halves.
LGS_INLINE Lanes head_product(const float* a, const float* b, int64_t stride) {
  Lanes total = splat(0);
  for (int64_t i = 0; i < stride; i += kLanes) total = fma(load(a + i), load(b + i), total);
  return halves_added(total, total);
}

LGS_INLINE float product(const float* a, const float* b, int64_t stride) {
  Lanes total = splat(0);
  for (int64_t i = 0; i < stride; i += kLanes) total = fma(load(a + i), load(b + i), total);
  return sum(total);
}

/// to += weight * from.
LGS_INLINE void add_scaled(const Lanes& weight, const float* from, float* to, int64_t stride) {
  for (int64_t i = 0; i < stride; i += kLanes) store(to + i, fma(weight, load(from + i), load(to + i)));
}

/// e^(score - largest) per head of scores [count, 8], in place, and one over their sums in both halves of `inverse`.
/// A list of odd length gets one more node of weight ~0.
LGS_INLINE void softmax_heads(float* scores, int count, float* inverse) {
  const int lanes = 8 * count;
  if (count % 2)
    for (int i = 0; i < 8; ++i) scores[lanes + i] = -1e30f;
  Lanes most = load(scores);
  for (int i = kLanes; i < lanes; i += kLanes) most = max(most, load(scores + i));
  most = halves_largest(most);
  Lanes total = splat(0);
  for (int i = 0; i < lanes; i += kLanes) {
    const Lanes e = exp(load(scores + i) - most);
    total = total + e;
    store(scores + i, e);
  }
  store(inverse, splat(1) / halves_added(total, total));
}

}  // namespace LGS_LEVEL
}  // namespace lgs
