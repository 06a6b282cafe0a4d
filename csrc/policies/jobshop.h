// problems/jobshop.py: the next operation of any job, started as soon as its job and its machine are free.
#pragma once
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "../policy.h"

namespace lgs {

class JobShopEpisode final : public Episode {
 public:
  static std::unique_ptr<Episode> make(const Arrays& arrays, int64_t instance, int nodes) {
    return std::make_unique<JobShopEpisode>(arrays, instance, nodes);
  }

  JobShopEpisode(const Arrays& arrays, int64_t instance, int nodes)
      : nodes_(nodes),
        jobs_(static_cast<int>(*arrays.ints("jobs", instance, {}))),
        durations_(arrays.ints("durations", instance, {nodes})),
        machines_(arrays.ints("machines", instance, {nodes})),
        tails_(arrays.ints("tails", instance, {nodes})),
        bound_(static_cast<float>(*arrays.ints("bound", instance, {}))) {
    if (jobs_ < 1 || nodes % jobs_) throw std::invalid_argument("the number of operations is no multiple of 'jobs'");
    steps_ = nodes / jobs_;
    for (int i = 0; i < nodes; ++i)
      if (machines_[i] < 0 || machines_[i] >= steps_) throw std::invalid_argument("'machines' names an unknown machine");
  }

  void reset() override {
    done_.assign(jobs_, 0);
    job_free_.assign(jobs_, 0);
    machine_free_.assign(steps_, 0);
    scheduled_ = 0;
    last_ = kNone;
  }

  int allowed(int32_t* nodes) override {
    int count = 0;
    for (int job = 0; job < jobs_; ++job)
      if (done_[job] < steps_) nodes[count++] = job * steps_ + done_[job];
    return count;
  }

  void step(int32_t node) override {
    const int64_t end = earliest(node) + durations_[node];
    job_free_[node / steps_] = machine_free_[machines_[node]] = end;
    ++done_[node / steps_];
    ++scheduled_;
    last_ = node;
  }

  void anchors(int32_t* nodes) const override { nodes[0] = last_; }

  void scalars(float* values) const override {
    values[0] = static_cast<float>(scheduled_) / static_cast<float>(nodes_);
  }

  /// Start of the operation and end of its job then, over the least of the operations allowed.
  void features(const int32_t* nodes, int count, float* values) const override {
    int64_t least_start = std::numeric_limits<int64_t>::max(), least_end = least_start;
    for (int i = 0; i < count; ++i) {
      const int64_t start = earliest(nodes[i]);
      least_start = std::min(least_start, start);
      least_end = std::min(least_end, start + tails_[nodes[i]]);
    }
    for (int i = 0; i < count; ++i) {
      const int64_t start = earliest(nodes[i]);
      values[2 * i] = static_cast<float>(start - least_start) / bound_;
      values[2 * i + 1] = static_cast<float>(start + tails_[nodes[i]] - least_end) / bound_;
    }
  }

 private:
  int64_t earliest(int32_t node) const { return std::max(job_free_[node / steps_], machine_free_[machines_[node]]); }

  int nodes_, jobs_, steps_ = 0;
  const int64_t *durations_, *machines_, *tails_;
  float bound_;
  std::vector<int> done_;
  std::vector<int64_t> job_free_, machine_free_;
  int scheduled_ = 0;
  int32_t last_ = kNone;
};

}  // namespace lgs
