// The two functions of the kernel on a whole batch: checks, packing, and the division into tasks.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "engine.h"

namespace lgs {

/// One call. Outputs come allocated and, where something is added to them, filled with zeros.
struct Call {
  Shape shape;
  Plain<const float> tables;
  const Policy* policy;
  Arrays arrays;
  bool forced_start;
  const int64_t* starts;   // [B, K]
  int64_t* actions;        // [B, K, T]
  float* log_probs;        // [B, K]
  const float* uniforms;   // [B, K, T] or null
  const Engine* engine;
  int threads;
  std::function<bool()> interrupted;
};

/// The levels that this machine can run, best first.
std::vector<const Engine*> engines();

/// Fills the actions (given as kNone) and the log-probabilities.
void rollout(const Call& call);
/// Fills the log-probabilities of the given actions.
void score(const Call& call);
/// Adds d (upstream . log_probs) / d table to every table of `gradients` that is not null.
void score_backward(const Call& call, const float* upstream, const Plain<float>& gradients);

}  // namespace lgs
