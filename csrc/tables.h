// The decoder's tables as the kernel wants them, and as torch has them.
#pragma once
#include <cstdint>
#include <vector>

namespace lgs {

constexpr int kHeads = 8;
/// Bounds the tanh's clipping, so that e^(-2 clip) is far above the smallest number.
constexpr float kMaxClip = 32.0f;
constexpr int kRowLanes = 16;

/// All extents of one call; see model/tables.py for the letters.
struct Shape {
  int64_t batch, particles, horizon;
  int nodes, heads, width;  // d = heads * width
  int anchors, scalars, features;
  float clip;

  int64_t dim() const { return int64_t{heads} * width; }
  /// Vectors of sixteen per packed row.
  int vectors() const { return (width + 1) / 2; }
  int64_t row() const { return int64_t{kRowLanes} * vectors(); }
};

/// Pointers to the tables of a whole batch in torch's layout; null where there is none.
template <class T>
struct Plain {
  T *query, *anchors, *scalars, *keys, *values, *logit_keys, *residual, *pairwise;
  T *feature_keys, *feature_values, *feature_logits, *feature_bias;
};

/// The tables of one instance with packed rows: lane l of vector v holds dimension 2 v + l / 8 of head l % 8.
///
/// One multiply-add then serves all heads, the sum over a head's dimensions stays within its lanes, and every
/// particle can attend to just the nodes it may go to, without masks and without a matrix per head.
struct Packed {
  float *keys, *values, *logit_keys;                     // [N, row]
  float* anchors;                                        // [A, N, row]
  float* scalars;                                        // [S, row]
  float *feature_keys, *feature_values, *feature_logits;  // [F, row]
  float* feature_bias;                                   // [F]
  float* pairwise;                                       // [N, N]
};

static inline void pack_row(const Shape& shape, const float* plain, float* packed) {
  for (int i = 0; i < kRowLanes * shape.vectors(); ++i) packed[i] = 0;
  for (int head = 0; head < shape.heads; ++head)
    for (int i = 0; i < shape.width; ++i) packed[i / 2 * kRowLanes + i % 2 * kHeads + head] = plain[head * shape.width + i];
}

/// Adds a packed row to a plain one.
static inline void unpack_row(const Shape& shape, const float* packed, float* plain) {
  for (int head = 0; head < shape.heads; ++head)
    for (int i = 0; i < shape.width; ++i) plain[head * shape.width + i] += packed[i / 2 * kRowLanes + i % 2 * kHeads + head];
}

/// Room for the packed tables of one instance, on a cache line's boundary.
class PackedBuffer {
 public:
  PackedBuffer(const Shape& shape, bool pairwise);
  PackedBuffer(PackedBuffer&&) = default;  // and no copy: `view` points into `room_`

  Packed view;

  /// Fills everything but `pairwise`, which is borrowed: it needs no packing.
  void pack(const Shape& shape, const Plain<const float>& tables, int64_t instance);
  void clear();
  /// Adds these gradients to those of the batch, where they are wanted.
  void add_to(const Shape& shape, const Plain<float>& gradients, int64_t instance) const;

 private:
  std::vector<float> room_;
};

}  // namespace lgs
