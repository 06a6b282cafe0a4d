// Nodes not yet visited, in ascending order: nobody looks at a visited node again.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace lgs {

class Waiting {
 public:
  explicit Waiting(int nodes) : nodes_(nodes), list_(nodes) {}

  /// All nodes from `first` on.
  void fill(int first) {
    list_.resize(nodes_ - first);
    for (int i = 0; i < static_cast<int>(list_.size()); ++i) list_[i] = first + i;
  }

  void remove(int32_t node) {
    const auto found = std::lower_bound(list_.begin(), list_.end(), node);
    if (found != list_.end() && *found == node) list_.erase(found);
  }

  int copy(int32_t* nodes) const {
    std::copy(list_.begin(), list_.end(), nodes);
    return static_cast<int>(list_.size());
  }

  bool empty() const { return list_.empty(); }
  const std::vector<int32_t>& list() const { return list_; }

 private:
  int nodes_;
  std::vector<int32_t> list_;
};

}  // namespace lgs
