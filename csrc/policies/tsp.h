// problems/tsp.py: every node once.
#pragma once
#include "../policy.h"
#include "waiting.h"

namespace lgs {

class TspEpisode final : public Episode {
 public:
  static std::unique_ptr<Episode> make(const Arrays&, int64_t, int nodes) {
    return std::make_unique<TspEpisode>(nodes);
  }

  explicit TspEpisode(int nodes) : waiting_(nodes) {}

  void reset() override {
    waiting_.fill(0);
    first_ = last_ = kNone;
  }

  int allowed(int32_t* nodes) override { return waiting_.copy(nodes); }

  void step(int32_t node) override {
    waiting_.remove(node);
    if (first_ == kNone) first_ = node;
    last_ = node;
  }

  void anchors(int32_t* nodes) const override {
    nodes[0] = last_;
    nodes[1] = first_;
  }

 private:
  Waiting waiting_;
  int32_t first_ = kNone, last_ = kNone;
};

}  // namespace lgs
