#include "policy.h"

#include <stdexcept>

#include "policies/cvrp.h"
#include "policies/cvrptw.h"
#include "policies/jobshop.h"
#include "policies/knapsack.h"
#include "policies/tsp.h"

namespace lgs {
namespace {

const Policy kPolicies[] = {
    {"cvrp", 1, 1, 0, CvrpEpisode::make},
    {"cvrptw", 1, 2, 2, CvrptwEpisode::make},
    {"jobshop", 1, 1, 2, JobShopEpisode::make},
    {"knapsack", 1, 1, 0, KnapsackEpisode::make},
    {"tsp", 2, 0, 0, TspEpisode::make},
};

}  // namespace

Episode::~Episode() = default;
void Episode::anchors(int32_t*) const {}
void Episode::scalars(float*) const {}
void Episode::features(const int32_t*, int, float*) const {}

const Policy& policy(const std::string& name) {
  for (const Policy& candidate : kPolicies)
    if (name == candidate.name) return candidate;
  throw std::invalid_argument("the compiled kernel has no rules named '" + name + "'");
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const Policy& candidate : kPolicies) names.emplace_back(candidate.name);
  return names;
}

const Array& Arrays::find(const std::string& name, Array::Kind kind) const {
  const auto found = by_name.find(name);
  if (found == by_name.end()) throw std::invalid_argument("the rules lack the array '" + name + "'");
  if (found->second.kind != kind)
    throw std::invalid_argument("array '" + name + "' must be " + (kind == Array::kInt64 ? "int64" : "float64"));
  return found->second;
}

int64_t Arrays::offset(const std::string& name, const Array& array, int64_t instance,
                       const std::vector<int64_t>& shape) const {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  const std::vector<int64_t> given(array.shape.begin() + !array.shape.empty(), array.shape.end());
  if (array.shape.empty() || given != shape || instance >= array.shape[0])
    throw std::invalid_argument("array '" + name + "' has the wrong shape");
  return instance * size;
}

const int64_t* Arrays::ints(const std::string& name, int64_t instance, const std::vector<int64_t>& shape) const {
  const Array& array = find(name, Array::kInt64);
  return static_cast<const int64_t*>(array.data) + offset(name, array, instance, shape);
}

const double* Arrays::doubles(const std::string& name, int64_t instance, const std::vector<int64_t>& shape) const {
  const Array& array = find(name, Array::kFloat64);
  return static_cast<const double*>(array.data) + offset(name, array, instance, shape);
}

}  // namespace lgs
