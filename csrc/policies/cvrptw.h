// problems/cvrptw.py: customers by vehicles of one capacity, each within its hours.
#pragma once
#include <algorithm>

#include "cvrp.h"

namespace lgs {

/// One instance's times, all float64 in the unit of the travel times.
struct Hours {
  const double *travel, *ready, *latest, *service;  // [N, N], [N], [N], [N]
  double opening, length;
};

class CvrptwEpisode final : public CvrpEpisode {
 public:
  static std::unique_ptr<Episode> make(const Arrays& arrays, int64_t instance, int nodes) {
    const Hours hours{arrays.doubles("travel", instance, {nodes, nodes}), arrays.doubles("ready", instance, {nodes}),
                      arrays.doubles("latest", instance, {nodes}),        arrays.doubles("service", instance, {nodes}),
                      *arrays.doubles("opening", instance, {}),           *arrays.doubles("hours", instance, {})};
    return std::make_unique<CvrptwEpisode>(arrays.ints("demands", instance, {nodes}),
                                           *arrays.ints("capacity", instance, {}), hours, nodes);
  }

  CvrptwEpisode(const int64_t* demands, int64_t capacity, const Hours& hours, int nodes)
      : CvrpEpisode(demands, capacity, nodes), hours_(hours), nodes_(nodes) {}

  void reset() override {
    CvrpEpisode::reset();
    time_ = hours_.opening;
  }

  int allowed(int32_t* nodes) override {
    const int fitting = CvrpEpisode::allowed(nodes);
    int count = 0;
    for (int i = 0; i < fitting; ++i) {
      const int32_t node = nodes[i];
      nodes[count] = node;
      // Whoever was served left time for the way home.
      count += node == 0 || arrival(node) <= hours_.latest[node];
    }
    return count;
  }

  void step(int32_t node) override {
    time_ = node == 0 ? hours_.opening : std::max(arrival(node), hours_.ready[node]) + hours_.service[node];
    CvrpEpisode::step(node);
  }

  void scalars(float* values) const override {
    CvrpEpisode::scalars(values);
    values[1] = static_cast<float>((time_ - hours_.opening) / hours_.length);
  }

  void features(const int32_t* nodes, int count, float* values) const override {
    const auto share = [&](double time) { return static_cast<float>(std::clamp(time / hours_.length, 0.0, 1.0)); };
    for (int i = 0; i < count; ++i) {
      values[2 * i] = share(hours_.latest[nodes[i]] - arrival(nodes[i]));
      values[2 * i + 1] = share(hours_.ready[nodes[i]] - arrival(nodes[i]));
    }
  }

 private:
  double arrival(int32_t node) const { return time_ + hours_.travel[int64_t{last_} * nodes_ + node]; }

  Hours hours_;
  int nodes_;
  double time_ = 0;
};

}  // namespace lgs
