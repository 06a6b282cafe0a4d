// problems/knapsack.py: items until nothing fits any more.
#pragma once
#include "../policy.h"
#include "waiting.h"

namespace lgs {

class KnapsackEpisode final : public Episode {
 public:
  static std::unique_ptr<Episode> make(const Arrays& arrays, int64_t instance, int nodes) {
    return std::make_unique<KnapsackEpisode>(arrays.ints("weights", instance, {nodes}),
                                             *arrays.ints("capacity", instance, {}), nodes);
  }

  KnapsackEpisode(const int64_t* weights, int64_t capacity, int nodes)
      : waiting_(nodes), weights_(weights), capacity_(capacity) {}

  void reset() override {
    waiting_.fill(0);
    left_ = capacity_;
    last_ = kNone;
  }

  int allowed(int32_t* nodes) override {
    int count = 0;
    for (const int32_t node : waiting_.list()) {
      nodes[count] = node;
      count += weights_[node] <= left_;
    }
    return count;
  }

  void step(int32_t node) override {
    waiting_.remove(node);
    left_ -= weights_[node];
    last_ = node;
  }

  void anchors(int32_t* nodes) const override { nodes[0] = last_; }

  void scalars(float* values) const override {
    values[0] = static_cast<float>(left_) / static_cast<float>(std::max<int64_t>(capacity_, 1));
  }

 private:
  Waiting waiting_;
  const int64_t* weights_;
  int64_t capacity_, left_ = 0;
  int32_t last_ = kNone;
};

}  // namespace lgs
