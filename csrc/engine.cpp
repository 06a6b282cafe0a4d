// Whole episodes and their scores for a block of particles. Compiled once per level; LGS_LEVEL names it.
#include "engine.h"

#include <cmath>

#include "attention.h"

namespace lgs {
namespace LGS_LEVEL {
namespace {

constexpr float kLowest = -1e30f;

/// Hands out a task's scratch, in cache lines.
struct Scratch {
  float* next;

  float* floats(int64_t count) {
    float* const start = next;
    next += (count + kLanes - 1) / kLanes * kLanes;
    return start;
  }
  int32_t* ints(int64_t count) { return reinterpret_cast<int32_t*>(floats(count)); }
};

/// What the backward pass needs beside the rows, one row at a time.
struct Backward {
  float *logits;   // [count] gradient of the logits
  float *weights;  // [count, 8] gradient of the attention, then of its scores
};

struct Block {
  Row rows[kBlock];
  Backward backward[kBlock];
  float *glimpse[kBlock], *query[kBlock];  // gradients
  float *scaled[kBlock];                   // gradient of the glimpse times `inverse`
  float *chances;                          // [N] of one row
  float *base_queries, *residuals;         // [kBlock, row] of the particles
};

void lay_out(const Shape& shape, Block& block, Scratch& scratch, bool backward) {
  const int64_t nodes = shape.nodes + 4, row = shape.row();
  for (int r = 0; r < kBlock; ++r) {
    Row& x = block.rows[r];
    x.nodes = scratch.ints(nodes);
    x.query = scratch.floats(row);
    x.weights = scratch.floats(8 * nodes);
    x.inverse = scratch.floats(kLanes);
    x.glimpse = scratch.floats(row);
    x.logits = scratch.floats(nodes + kLanes);
    x.features = scratch.floats(nodes * shape.features);
    x.feature_query = scratch.floats(kLanes * shape.features);
    x.feature_mix = scratch.floats(kLanes * shape.features);
    if (!backward) continue;
    block.backward[r].logits = scratch.floats(nodes + kLanes);
    block.backward[r].weights = scratch.floats(8 * nodes);
    block.glimpse[r] = scratch.floats(row);
    block.query[r] = scratch.floats(row);
    block.scaled[r] = scratch.floats(row);
  }
  block.chances = scratch.floats(nodes + kLanes);
  block.base_queries = scratch.floats(kBlock * row);
  block.residuals = scratch.floats(kBlock * row);
}

/// Packs what the particles themselves put into queries and glimpses.
void pack_particles(const Task& task, Block& block) {
  const Shape& shape = *task.shape;
  for (int p = 0; p < task.particles; ++p) {
    pack_row(shape, task.query + p * shape.dim(), block.base_queries + p * shape.row());
    if (task.residual) pack_row(shape, task.residual + p * shape.dim(), block.residuals + p * shape.row());
  }
}

/// Asks the episode what may come next and what the query depends on; false if the episode is over.
bool observe(const Shape& shape, Episode& episode, Row& row) {
  row.count = episode.allowed(row.nodes);
  if (row.count == 0) return false;
  episode.anchors(row.anchors);
  episode.scalars(row.scalars);
  if (shape.features) episode.features(row.nodes, row.count, row.features);
  find_chunks(row, shape.nodes);
  return true;
}

/// query = query[k] + sum_a anchors[a, node_a] + sum_s scalar_s * scalars[s]
void make_query(const Task& task, const Block& block, Row& row) {
  const Shape& shape = *task.shape;
  const int64_t stride = shape.row();
  const float* own = block.base_queries + row.particle * stride;
  row.residual = task.residual ? block.residuals + row.particle * stride : nullptr;
  const float* anchors[4];
  int present = 0;
  for (int a = 0; a < shape.anchors; ++a)
    if (row.anchors[a] != kNone)
      anchors[present++] = task.tables->anchors + (int64_t{a} * shape.nodes + row.anchors[a]) * stride;
  for (int64_t i = 0; i < stride; i += kLanes) {
    Lanes query = load(own + i);
    for (int a = 0; a < present; ++a) query = query + load(anchors[a] + i);
    for (int s = 0; s < shape.scalars; ++s)
      query = fma(splat(row.scalars[s]), load(task.tables->scalars + s * stride + i), query);
    store(row.query + i, query);
  }
}

/// scores[i, head] += sum_f x_if * (q . feature_keys_f)
void add_feature_scores(const Shape& shape, const Packed& tables, Row& row) {
  for (int f = 0; f < shape.features; ++f) {
    const Lanes product = head_product(row.query, tables.feature_keys + f * shape.row(), shape.row());
    store(row.feature_query + f * kLanes, product);
  }
  for (int i = 0; i < row.count; ++i)
    for (int f = 0; f < shape.features; ++f)
      for (int h = 0; h < kHeads; ++h)
        row.weights[8 * i + h] += row.features[i * shape.features + f] * row.feature_query[f * kLanes + h];
}

/// sums[f, head] = sum_i weights[i, head] * x_if, in both halves.
void mix_features(const Shape& shape, const Row& row, const float* weights, float* sums) {
  for (int f = 0; f < shape.features; ++f) {
    Lanes total = splat(0);
    for (int i = 0; i < row.count; ++i)
      total = fma(both_halves(weights + 8 * i), splat(row.features[i * shape.features + f]), total);
    store(sums + f * kLanes, total);
  }
}

/// logits[i] += pairwise[node_0, i] + sum_f x_if * (g . feature_logits_f + bias_f)
void add_logit_biases(const Shape& shape, const Packed& tables, Row& row) {
  if (tables.pairwise && row.anchors[0] != kNone) {
    const float* from = tables.pairwise + int64_t{row.anchors[0]} * shape.nodes;
    for (int i = 0; i < row.count; ++i) row.logits[i] += from[row.nodes[i]];
  }
  for (int f = 0; f < shape.features; ++f) {
    const float weight = product(row.glimpse, tables.feature_logits + f * shape.row(), shape.row()) + tables.feature_bias[f];
    for (int i = 0; i < row.count; ++i) row.logits[i] += row.features[i * shape.features + f] * weight;
  }
}

/// The mean of the values instead of their sum, and the particle's own share.
LGS_INLINE void finish_glimpse(Row& row, int64_t stride) {
  const Lanes inverse = load(row.inverse);
  for (int64_t i = 0; i < stride; i += kLanes) {
    const Lanes mean = load(row.glimpse + i) * inverse;
    store(row.glimpse + i, row.residual ? mean + load(row.residual + i) : mean);
  }
}

/// From queries to attention weights, glimpses and raw logits (before the tanh).
template <int D>
void forward(const Task& task, Row* rows, int count) {
  const Shape& shape = *task.shape;
  const Packed& tables = *task.tables;
  const int64_t stride = D ? D * kLanes : shape.row();
  by_chunk(rows, count, shape.nodes, [&](Row& row, int begin, int end) {
    head_products<D>(row.query, tables.keys, row.nodes, begin, end, stride, row.weights);
  });
  for (int r = 0; r < count; ++r) {
    Row& row = rows[r];
    if (shape.features) add_feature_scores(shape, tables, row);
    softmax_heads(row.weights, row.count, row.inverse);
    for (int64_t i = 0; i < stride; i += kLanes) store(row.glimpse + i, splat(0));
    if (shape.features) {
      mix_features(shape, row, row.weights, row.feature_mix);
      for (int f = 0; f < shape.features; ++f)
        add_scaled(load(row.feature_mix + f * kLanes), tables.feature_values + f * stride, row.glimpse, stride);
    }
  }
  by_chunk(rows, count, shape.nodes, [&](Row& row, int begin, int end) {
    mix(PerHead{row.weights}, tables.values, row.nodes, begin, end, stride, row.glimpse);
  });
  for (int r = 0; r < count; ++r) finish_glimpse(rows[r], stride);
  by_chunk(rows, count, shape.nodes, [&](Row& row, int begin, int end) {
    products<D>(row.glimpse, tables.logit_keys, row.nodes, begin, end, stride, row.logits);
  });
  for (int r = 0; r < count; ++r) add_logit_biases(shape, tables, rows[r]);
}

void forward(const Task& task, Row* rows, int count) {
  if (task.shape->vectors() == 8)
    forward<8>(task, rows, count);
  else
    forward<0>(task, rows, count);
}

/// Turns raw logits into clip * (tanh - 1), fills `chances` with their exponentials and returns the sum of those.
///
/// The largest possible logit is what is subtracted, not the largest present: clip is small enough for that.
LGS_INLINE float squash(const Shape& shape, Row& row, float* chances) {
  for (int i = row.count; i < row.count + kLanes; ++i) row.logits[i] = kLowest;
  Lanes total = splat(0);
  for (int i = 0; i < row.count; i += kLanes) {
    const Lanes raw = load(row.logits + i);
    const Lanes clipped = where_above(raw, kLowest, splat(shape.clip) * tanh_below_one(raw), splat(kLowest));
    const Lanes e = exp(clipped);
    store(row.logits + i, clipped);
    store(chances + i, e);
    total = total + e;
  }
  return sum(total);
}

/// The first node with the largest raw logit. The tanh keeps their order but makes large ones equal: this decides
/// such ties by the logits behind them.
LGS_INLINE int most_likely(Row& row) {
  for (int i = row.count; i < row.count + kLanes; ++i) row.logits[i] = kLowest;
  Lanes most = load(row.logits);
  for (int i = kLanes; i < row.count; i += kLanes) most = max(most, load(row.logits + i));
  const float highest = largest(most);
  for (int i = 0; i < row.count; i += kLanes) {
    const int lane = first_equal(load(row.logits + i), highest);
    if (lane < kLanes) return i + lane < row.count ? i + lane : row.count - 1;
  }
  return row.count - 1;
}

/// The first node whose cumulative chance exceeds `target`; the last one takes what rounding leaves over.
int draw(const float* chances, int count, float target) {
  int i = 0;
  float below = 0;
  for (; i + kLanes < count; i += kLanes) {
    const float next = below + sum(load(chances + i));
    if (next > target) break;
    below = next;
  }
  for (; i < count - 1; ++i) {
    below += chances[i];
    if (below > target) break;
  }
  return i;
}

void rollout(const Task& task) {
  const Shape& shape = *task.shape;
  Block block;
  Scratch scratch{task.scratch};
  lay_out(shape, block, scratch, false);
  pack_particles(task, block);
  int running[kBlock], alive = task.particles;
  for (int p = 0; p < task.particles; ++p) {
    running[p] = p;
    task.log_probs[p] = 0;
    task.episodes[p]->reset();
  }
  for (int64_t t = 0; t < shape.horizon && alive && !task.stop->load(std::memory_order_relaxed); ++t) {
    const auto act = [&](int64_t particle, int32_t node) {
      task.actions[particle * shape.horizon + t] = node;
      task.episodes[particle]->step(node);
    };
    int rows = 0, still = 0;
    for (int i = 0; i < alive; ++i) {
      const int p = running[i];
      Row& row = block.rows[rows];
      if (!observe(shape, *task.episodes[p], row)) continue;
      running[still++] = p;
      // A given start or an only choice needs no network; its log-probability is 0.
      const bool given = t == 0 && task.starts[p] != kNone;
      if (given || row.count == 1) {
        act(p, given ? static_cast<int32_t>(task.starts[p]) : row.nodes[0]);
        continue;
      }
      row.particle = p;
      make_query(task, block, row);
      ++rows;
    }
    alive = still;
    forward(task, block.rows, rows);
    for (int r = 0; r < rows; ++r) {
      Row& row = block.rows[r];
      const int greedy = task.uniforms ? 0 : most_likely(row);
      const float total = squash(shape, row, block.chances);
      const int choice = task.uniforms
          ? draw(block.chances, row.count, task.uniforms[row.particle * shape.horizon + t] * total)
          : greedy;
      task.log_probs[row.particle] += row.logits[choice] - std::log(total);
      act(row.particle, row.nodes[choice]);
    }
  }
}

/// d loss / d raw logits, from log p = l_taken - log sum e^l with l = clip * tanh(raw).
void logit_gradient(const Shape& shape, Row& row, float upstream, float* chances, float* gradient) {
  const float scale = upstream / squash(shape, row, chances), inverse = 1 / shape.clip;
  for (int i = 0; i < row.count; ++i) gradient[i] = -scale * chances[i];
  gradient[row.taken] += upstream;
  for (int i = 0; i < row.count; ++i) {
    const float below = row.logits[i] * inverse;  // tanh - 1
    gradient[i] *= -row.logits[i] * (2 + below);
  }
}

/// Gradients of what stands between logits and glimpse, apart from the glimpse's own.
void add_bias_gradients(const Shape& shape, const Packed& tables, const Row& row, const float* logits, Packed& into,
                        float* glimpse) {
  if (into.pairwise && row.anchors[0] != kNone) {
    float* to = into.pairwise + int64_t{row.anchors[0]} * shape.nodes;
    for (int i = 0; i < row.count; ++i) to[row.nodes[i]] += logits[i];
  }
  for (int f = 0; f < shape.features; ++f) {
    float total = 0;
    for (int i = 0; i < row.count; ++i) total += logits[i] * row.features[i * shape.features + f];
    into.feature_bias[f] += total;
    add_scaled(splat(total), row.glimpse, into.feature_logits + f * shape.row(), shape.row());
    add_scaled(splat(total), tables.feature_logits + f * shape.row(), glimpse, shape.row());
  }
}

/// d loss / d attention -> d loss / d scores, in place: a * (da - sum a da).
void softmax_gradient(const Row& row, float* gradient) {
  const int lanes = 8 * row.count;
  if (row.count % 2)
    for (int i = 0; i < 8; ++i) gradient[lanes + i] = 0;
  Lanes total = splat(0);
  for (int i = 0; i < lanes; i += kLanes) total = fma(load(row.weights + i), load(gradient + i), total);
  const Lanes inverse = load(row.inverse), mean = halves_added(total, total) * inverse;
  for (int i = 0; i < lanes; i += kLanes)
    store(gradient + i, load(row.weights + i) * inverse * (load(gradient + i) - mean));
}

/// Attention's share of the features: through the values, d attention; through the keys, d query.
void add_feature_value_gradients(const Shape& shape, const Packed& tables, const Row& row, const float* glimpse,
                                 float* attention, Packed& into) {
  for (int f = 0; f < shape.features; ++f) {
    add_scaled(load(row.feature_mix + f * kLanes) * load(row.inverse), glimpse, into.feature_values + f * shape.row(), shape.row());
    const Lanes through = head_product(glimpse, tables.feature_values + f * shape.row(), shape.row());
    float spread[kLanes];
    store(spread, through);
    for (int i = 0; i < row.count; ++i)
      for (int h = 0; h < kHeads; ++h) attention[8 * i + h] += row.features[i * shape.features + f] * spread[h];
  }
}

void add_feature_key_gradients(const Shape& shape, const Packed& tables, const Row& row, const float* scores,
                               float* sums, float* query, Packed& into) {
  mix_features(shape, row, scores, sums);
  for (int f = 0; f < shape.features; ++f) {
    add_scaled(load(sums + f * kLanes), row.query, into.feature_keys + f * shape.row(), shape.row());
    add_scaled(load(sums + f * kLanes), tables.feature_keys + f * shape.row(), query, shape.row());
  }
}

/// Gradients of the anchors, the scalars and the particle's own row: whatever was added up to the query.
void spread_query_gradient(const Task& task, const Row& row, const float* query, const Gradient& gradient) {
  const Shape& shape = *task.shape;
  const int64_t stride = shape.row();
  for (int a = 0; a < shape.anchors; ++a)
    if (row.anchors[a] != kNone)
      add_scaled(splat(1), query, gradient.tables->anchors + (int64_t{a} * shape.nodes + row.anchors[a]) * stride, stride);
  for (int s = 0; s < shape.scalars; ++s)
    add_scaled(splat(row.scalars[s]), query, gradient.tables->scalars + s * stride, stride);
  if (gradient.query) unpack_row(shape, query, gradient.query + row.particle * shape.dim());
}

template <int D>
void backward(const Task& task, Block& block, int count, const Gradient& gradient) {
  const Shape& shape = *task.shape;
  const Packed& tables = *task.tables;
  Packed& into = *gradient.tables;
  const int64_t stride = D ? D * kLanes : shape.row();
  Row* rows = block.rows;
  const auto index = [&](const Row& row) { return &row - rows; };
  for (int r = 0; r < count; ++r) {
    std::memset(block.glimpse[r], 0, sizeof(float) * stride);
    std::memset(block.query[r], 0, sizeof(float) * stride);
    logit_gradient(shape, rows[r], gradient.upstream[rows[r].particle], block.chances, block.backward[r].logits);
    add_bias_gradients(shape, tables, rows[r], block.backward[r].logits, into, block.glimpse[r]);
  }
  by_chunk(rows, count, shape.nodes, [&](Row& row, int begin, int end) {
    const PerNode logits{block.backward[index(row)].logits};
    spread(logits, row.glimpse, row.nodes, begin, end, stride, into.logit_keys);
    if (gradient.attention) mix(logits, tables.logit_keys, row.nodes, begin, end, stride, block.glimpse[index(row)]);
  });
  if (!gradient.attention) return;
  for (int r = 0; r < count; ++r)
    for (int64_t i = 0; i < stride; i += kLanes)
      store(block.scaled[r] + i, load(block.glimpse[r] + i) * load(rows[r].inverse));
  by_chunk(rows, count, shape.nodes, [&](Row& row, int begin, int end) {
    const float* glimpse = block.glimpse[index(row)];
    head_products<D>(glimpse, tables.values, row.nodes, begin, end, stride, block.backward[index(row)].weights);
    spread(PerHead{row.weights}, block.scaled[index(row)], row.nodes, begin, end, stride, into.values);
  });
  for (int r = 0; r < count; ++r) {
    float* weights = block.backward[r].weights;
    if (gradient.residual) unpack_row(shape, block.glimpse[r], gradient.residual + rows[r].particle * shape.dim());
    add_feature_value_gradients(shape, tables, rows[r], block.glimpse[r], weights, into);
    softmax_gradient(rows[r], weights);
    add_feature_key_gradients(shape, tables, rows[r], weights, rows[r].feature_mix, block.query[r], into);
  }
  by_chunk(rows, count, shape.nodes, [&](Row& row, int begin, int end) {
    const PerHead scores{block.backward[index(row)].weights};
    spread(scores, row.query, row.nodes, begin, end, stride, into.keys);
    mix(scores, tables.keys, row.nodes, begin, end, stride, block.query[index(row)]);
  });
  for (int r = 0; r < count; ++r) spread_query_gradient(task, rows[r], block.query[r], gradient);
}

/// Where the list of nodes has `node`, or -1.
int position(const Row& row, int64_t node) {
  for (int i = 0; i < row.count; ++i)
    if (row.nodes[i] == node) return i;
  return -1;
}

void score_block(const Task& task, Block& block, int count, const Gradient* gradient) {
  forward(task, block.rows, count);
  if (gradient) {
    if (task.shape->vectors() == 8)
      backward<8>(task, block, count, *gradient);
    else
      backward<0>(task, block, count, *gradient);
    return;
  }
  for (int r = 0; r < count; ++r) {
    Row& row = block.rows[r];
    const float total = squash(*task.shape, row, block.chances);
    task.log_probs[row.particle] += row.logits[row.taken] - std::log(total);
  }
}

/// Replays the episodes one after the other; their steps are the rows.
void score(const Task& task, const Gradient* gradient) {
  const Shape& shape = *task.shape;
  Block block;
  Scratch scratch{task.scratch};
  lay_out(shape, block, scratch, gradient != nullptr);
  pack_particles(task, block);
  Episode& episode = *task.episodes[0];
  int rows = 0;
  for (int p = 0; p < task.particles; ++p) {
    episode.reset();
    if (!gradient) task.log_probs[p] = 0;
    for (int64_t t = 0; t < shape.horizon && !task.stop->load(std::memory_order_relaxed); ++t) {
      const int64_t node = task.actions[p * shape.horizon + t];
      if (node == kNone) continue;
      Row& row = block.rows[rows];
      row.particle = p;
      const bool free = t > 0 || task.starts[p] == kNone;
      if (free && (!gradient || gradient->upstream[p] != 0)) {
        row.taken = observe(shape, episode, row) ? position(row, node) : -1;
        if (row.taken >= 0) {
          make_query(task, block, row);
          rows += row.count > 1;  // an only choice has log-probability 0 and no gradient
        } else if (!gradient) {
          task.log_probs[p] = -INFINITY;
        }
      }
      episode.step(static_cast<int32_t>(node));
      if (rows == kBlock) {
        score_block(task, block, rows, gradient);
        rows = 0;
      }
    }
  }
  score_block(task, block, rows, gradient);
}

int64_t scratch_floats(const Shape& shape) {
  const int64_t nodes = shape.nodes + 4 + 2 * kLanes, row = shape.row();
  const int64_t per_row = nodes * (20 + shape.features) + 7 * row + 2 * kLanes * (shape.features + 5);
  return kBlock * per_row + nodes + 4 * kLanes;
}

bool available() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
#elif defined(__AVX2__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

void exp_all(const float* x, float* y, int64_t count) {
  for (int64_t i = 0; i + kLanes <= count; i += kLanes) store(y + i, exp(load(x + i)));
}

void tanh_all(const float* x, float* y, int64_t count) {
  for (int64_t i = 0; i + kLanes <= count; i += kLanes) store(y + i, tanh_below_one(load(x + i)) + splat(1));
}

#define LGS_TEXT(name) LGS_QUOTED(name)
#define LGS_QUOTED(name) #name

}  // namespace

const Engine engine = {LGS_TEXT(LGS_LEVEL), available, scratch_floats, rollout, score, exp_all, tanh_all};

}  // namespace LGS_LEVEL
}  // namespace lgs
