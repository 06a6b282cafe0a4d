// problems/cvrp.py: customers by vehicles of one capacity; node 0 is the depot.
#pragma once
#include "../policy.h"
#include "waiting.h"

namespace lgs {

class CvrpEpisode : public Episode {
 public:
  static std::unique_ptr<Episode> make(const Arrays& arrays, int64_t instance, int nodes) {
    return std::make_unique<CvrpEpisode>(arrays.ints("demands", instance, {nodes}),
                                         *arrays.ints("capacity", instance, {}), nodes);
  }

  CvrpEpisode(const int64_t* demands, int64_t capacity, int nodes)
      : waiting_(nodes), demands_(demands), capacity_(capacity) {}

  void reset() override {
    waiting_.fill(1);
    left_ = capacity_;
    last_ = 0;
  }

  int allowed(int32_t* nodes) override {
    int count = 0;
    if (last_ != 0 && !waiting_.empty()) nodes[count++] = 0;
    for (const int32_t node : waiting_.list()) {
      nodes[count] = node;
      count += demands_[node] <= left_;
    }
    return count;
  }

  void step(int32_t node) override {
    waiting_.remove(node);
    left_ = node == 0 ? capacity_ : left_ - demands_[node];
    last_ = node;
  }

  void anchors(int32_t* nodes) const override { nodes[0] = last_; }

  void scalars(float* values) const override {
    values[0] = static_cast<float>(left_) / static_cast<float>(capacity_);
  }

 protected:
  int32_t last_ = 0;

 private:
  Waiting waiting_;
  const int64_t* demands_;
  int64_t capacity_, left_ = 0;
};

}  // namespace lgs
