// One level of vector instructions, and the two things it does for a block of particles of one instance.
#pragma once
#include <atomic>
#include <cstdint>

#include "policy.h"
#include "tables.h"

namespace lgs {

/// Particles (or, when scoring, steps) that go through the tables together: their tables' rows stay in L1.
constexpr int kBlock = 32;

/// The particles [first, first + count) of one instance. Pointers are to the first of them, or to the instance.
struct Task {
  const Shape* shape;
  const Packed* tables;
  Episode* const* episodes;        // one per particle of a rollout, one in all for a score
  int particles;
  const float* query;              // [particles, d]
  const float* residual;           // [particles, d] or null
  const int64_t* starts;           // [particles]
  int64_t* actions;                // [particles, T]; written by a rollout
  float* log_probs;                // [particles]
  const float* uniforms;           // [particles, T], or null: greedy
  float* scratch;
  const std::atomic<bool>* stop;
};

/// Where the gradients of a task's log-probabilities go.
struct Gradient {
  const float* upstream;  // [particles]
  Packed* tables;         // partial sums of this task
  float* query;           // [particles, d] or null
  float* residual;        // [particles, d] or null
  bool attention;         // whether anything that the attention depends on wants a gradient
};

struct Engine {
  const char* name;
  bool (*available)();
  int64_t (*scratch_floats)(const Shape& shape);
  void (*rollout)(const Task& task);
  /// Log-probabilities of the task's actions and, where `gradient` is given, their gradients instead.
  void (*score)(const Task& task, const Gradient* gradient);
  void (*exp)(const float* x, float* y, int64_t count);
  void (*tanh)(const float* x, float* y, int64_t count);
};

namespace portable { extern const Engine engine; }
namespace avx2 { extern const Engine engine; }
namespace avx512 { extern const Engine engine; }

}  // namespace lgs
