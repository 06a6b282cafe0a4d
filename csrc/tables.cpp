#include "tables.h"

#include <algorithm>

namespace lgs {
namespace {

float* aligned(float* pointer) {
  return reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(pointer) + 63) & ~uintptr_t{63});
}

/// Visits each packed table with the plain one it mirrors and its number of rows.
template <class T, class Visit>
void each_table(const Shape& shape, const Packed& packed, const Plain<T>& plain, int64_t instance, Visit visit) {
  const auto rows = [&](float* mine, T* theirs, int64_t count) {
    if (theirs) visit(mine, theirs + instance * count * shape.dim(), count);
  };
  rows(packed.keys, plain.keys, shape.nodes);
  rows(packed.values, plain.values, shape.nodes);
  rows(packed.logit_keys, plain.logit_keys, shape.nodes);
  rows(packed.anchors, plain.anchors, int64_t{shape.anchors} * shape.nodes);
  rows(packed.scalars, plain.scalars, shape.scalars);
  rows(packed.feature_keys, plain.feature_keys, shape.features);
  rows(packed.feature_values, plain.feature_values, shape.features);
  rows(packed.feature_logits, plain.feature_logits, shape.features);
}

}  // namespace

PackedBuffer::PackedBuffer(const Shape& shape, bool pairwise) {
  const int64_t nodes = shape.nodes, rows = (3 + shape.anchors) * nodes + shape.scalars + 3 * shape.features;
  room_.assign(rows * shape.row() + shape.features + (pairwise ? nodes * nodes : 0) + kRowLanes, 0.0f);
  float* next = aligned(room_.data());
  const auto take = [&](int64_t count) {
    float* const start = next;
    next += count;
    return start;
  };
  const auto take_rows = [&](int64_t count) { return take(count * shape.row()); };
  view.keys = take_rows(nodes);
  view.values = take_rows(nodes);
  view.logit_keys = take_rows(nodes);
  view.anchors = take_rows(shape.anchors * nodes);
  view.scalars = take_rows(shape.scalars);
  view.feature_keys = take_rows(shape.features);
  view.feature_values = take_rows(shape.features);
  view.feature_logits = take_rows(shape.features);
  view.feature_bias = take(shape.features);
  view.pairwise = pairwise ? take(nodes * nodes) : nullptr;
}

void PackedBuffer::pack(const Shape& shape, const Plain<const float>& tables, int64_t instance) {
  each_table(shape, view, tables, instance, [&](float* packed, const float* plain, int64_t count) {
    for (int64_t i = 0; i < count; ++i) pack_row(shape, plain + i * shape.dim(), packed + i * shape.row());
  });
  if (tables.feature_bias) std::copy_n(tables.feature_bias + instance * shape.features, shape.features, view.feature_bias);
  if (tables.pairwise)
    view.pairwise = const_cast<float*>(tables.pairwise) + instance * int64_t{shape.nodes} * shape.nodes;
}

void PackedBuffer::clear() { std::fill(room_.begin(), room_.end(), 0.0f); }

void PackedBuffer::add_to(const Shape& shape, const Plain<float>& gradients, int64_t instance) const {
  each_table(shape, view, gradients, instance, [&](float* packed, float* plain, int64_t count) {
    for (int64_t i = 0; i < count; ++i) unpack_row(shape, packed + i * shape.row(), plain + i * shape.dim());
  });
  const auto add = [](const float* from, float* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] += from[i];
  };
  const int64_t pairs = int64_t{shape.nodes} * shape.nodes;
  if (gradients.feature_bias) add(view.feature_bias, gradients.feature_bias + instance * shape.features, shape.features);
  if (gradients.pairwise) add(view.pairwise, gradients.pairwise + instance * pairs, pairs);
}

}  // namespace lgs
