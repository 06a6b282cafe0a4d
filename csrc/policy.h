// The rules of a problem as the kernel plays them: one policy per problem, in policies/, mirroring its Python file.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lgs {

constexpr int32_t kNone = -1;

/// One particle's episode.
class Episode {
 public:
  virtual ~Episode();

  /// Back to the state before the first action.
  virtual void reset() = 0;
  /// Writes the nodes that may come next in ascending order and returns how many; none ends the episode.
  virtual int allowed(int32_t* nodes) = 0;
  virtual void step(int32_t node) = 0;

  // Not inline: no code of a policy may be compiled for a level of vector instructions.
  virtual void anchors(int32_t* nodes) const;
  virtual void scalars(float* values) const;
  /// Dynamic features of the given nodes, [count, F].
  virtual void features(const int32_t* nodes, int count, float* values) const;
};

/// An array that the problem hands over: its first dimension is the instance.
struct Array {
  enum Kind { kInt64, kFloat64 };
  Kind kind;
  const void* data;
  std::vector<int64_t> shape;
};

class Arrays {
 public:
  std::map<std::string, Array> by_name;

  /// The values of one instance; `shape` is what one instance must have.
  const int64_t* ints(const std::string& name, int64_t instance, const std::vector<int64_t>& shape) const;
  const double* doubles(const std::string& name, int64_t instance, const std::vector<int64_t>& shape) const;

 private:
  const Array& find(const std::string& name, Array::Kind kind) const;
  int64_t offset(const std::string& name, const Array& array, int64_t instance, const std::vector<int64_t>& shape) const;
};

/// A fresh episode of `instance` with `nodes` nodes; nothing of `arrays` is copied.
using MakeEpisode = std::unique_ptr<Episode> (*)(const Arrays& arrays, int64_t instance, int nodes);

/// How many anchors, scalars and features a policy produces, and how it begins an episode.
struct Policy {
  const char* name;
  int anchors, scalars, features;
  MakeEpisode make;
};

/// The policy of this name; throws std::invalid_argument for an unknown one.
const Policy& policy(const std::string& name);
std::vector<std::string> policy_names();

}  // namespace lgs
