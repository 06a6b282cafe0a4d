// The door to Python: plain arrays in, plain arrays filled. Everything else is in native.py.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <stdexcept>

#include "kernel.h"
#include "parallel.h"

namespace nb = nanobind;

namespace lgs {
namespace {

template <class T>
using Values = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
using Any = nb::ndarray<nb::c_contig, nb::device::cpu>;

/// The tables by name; each is checked against the extents that it must have.
template <class T>
class Named {
 public:
  explicit Named(const nb::dict& tables) {
    for (const auto& [name, table] : tables)
      if (!table.is_none()) by_name_[nb::cast<std::string>(name)] = nb::cast<Values<T>>(table);
  }

  int64_t extent(const std::string& name, size_t axis) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() || found->second.ndim() <= axis ? 0 : static_cast<int64_t>(found->second.shape(axis));
  }

  T* find(const std::string& name, const std::vector<int64_t>& shape) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return nullptr;
    bool fits = found->second.ndim() == shape.size();
    for (size_t axis = 0; fits && axis < shape.size(); ++axis)
      fits = static_cast<int64_t>(found->second.shape(axis)) == shape[axis];
    if (!fits) throw std::invalid_argument("the decoder's table '" + name + "' has the wrong shape");
    static T nothing{};  // an empty array has no data, and is not the same as no array
    return found->second.size() ? found->second.data() : &nothing;
  }

  Plain<T> view(const Shape& s) const {
    const int64_t nodes = s.nodes;
    Plain<T> plain{};
    plain.query = find("query", {s.batch, s.particles, s.dim()});
    plain.anchors = find("anchors", {s.batch, s.anchors, nodes, s.dim()});
    plain.scalars = find("scalars", {s.batch, s.scalars, s.dim()});
    plain.keys = find("keys", {s.batch, nodes, s.dim()});
    plain.values = find("values", {s.batch, nodes, s.dim()});
    plain.logit_keys = find("logit_keys", {s.batch, nodes, s.dim()});
    plain.residual = find("residual", {s.batch, s.particles, s.dim()});
    plain.pairwise = find("pairwise", {s.batch, nodes, nodes});
    plain.feature_keys = find("feature_keys", {s.batch, s.features, s.dim()});
    plain.feature_values = find("feature_values", {s.batch, s.features, s.dim()});
    plain.feature_logits = find("feature_logits", {s.batch, s.features, s.dim()});
    plain.feature_bias = find("feature_bias", {s.batch, s.features});
    return plain;
  }

 private:
  std::map<std::string, Values<T>> by_name_;
};

Arrays read_arrays(const nb::dict& given) {
  Arrays arrays;
  for (const auto& [key, value] : given) {
    const auto array = nb::cast<Any>(value);
    const bool whole = array.dtype() == nb::dtype<int64_t>();
    const std::string name = nb::cast<std::string>(key);
    if (!whole && array.dtype() != nb::dtype<double>())
      throw std::invalid_argument("array '" + name + "' must be int64 or float64");
    Array& entry = arrays.by_name[name];
    entry.kind = whole ? Array::kInt64 : Array::kFloat64;
    entry.data = array.data();
    for (size_t axis = 0; axis < array.ndim(); ++axis) entry.shape.push_back(static_cast<int64_t>(array.shape(axis)));
  }
  return arrays;
}

const Engine* engine(const std::string& level) {
  for (const Engine* candidate : engines())
    if (level.empty() || level == candidate->name) return candidate;
  throw std::invalid_argument("this machine cannot run the kernel's level '" + level + "'");
}

bool interrupted() {
  const nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

/// Runs without the interpreter's lock; a signal's exception is left set, as PyErr_CheckSignals does.
template <class Body>
void released(Body body) {
  bool cancelled = false;
  {
    const nb::gil_scoped_release release;
    try {
      body();
    } catch (const Interrupted&) {
      cancelled = true;
    }
  }
  if (cancelled) throw nb::python_error();
}

/// A prepared call, kept alive by the arrays that it was made of.
class Job {
 public:
  Job(const std::string& rules, const nb::dict& arrays, const nb::dict& tables, int heads, float clip, bool forced_start,
      Values<const int64_t> starts, Values<int64_t> actions, int threads, const std::string& level)
      : tables_(tables), starts_(starts), actions_(actions), kept_(nb::make_tuple(arrays, tables)) {
    if (actions.ndim() != 3 || starts.ndim() != 2 || starts.shape(0) != actions.shape(0) ||
        starts.shape(1) != actions.shape(1))
      throw std::invalid_argument("starts must be [B, K] and actions [B, K, T]");
    call_.policy = &policy(rules);
    Shape& shape = call_.shape;
    shape.batch = static_cast<int64_t>(actions.shape(0));
    shape.particles = static_cast<int64_t>(actions.shape(1));
    shape.horizon = static_cast<int64_t>(actions.shape(2));
    shape.nodes = static_cast<int>(tables_.extent("keys", 1));
    shape.heads = heads;
    shape.width = heads > 0 ? static_cast<int>(tables_.extent("keys", 2) / heads) : 0;
    shape.anchors = call_.policy->anchors;
    shape.scalars = call_.policy->scalars;
    shape.features = call_.policy->features;
    shape.clip = clip;
    if (heads < 1 || heads > kHeads || shape.width < 1)
      throw std::invalid_argument("the compiled kernel knows 1 to " + std::to_string(kHeads) + " heads, not " +
                                  std::to_string(heads));
    if (!(clip > 0 && clip <= kMaxClip))
      throw std::invalid_argument("the compiled kernel knows clips in (0, 32], not " + std::to_string(clip));
    call_.tables = tables_.view(shape);
    if (!call_.tables.query || !call_.tables.anchors || !call_.tables.scalars || !call_.tables.keys ||
        !call_.tables.values || !call_.tables.logit_keys || (shape.features && !call_.tables.feature_bias))
      throw std::invalid_argument("a table of the decoder is missing");
    call_.arrays = read_arrays(arrays);
    call_.forced_start = forced_start;
    call_.starts = starts_.data();
    call_.actions = actions_.data();
    call_.engine = engine(level);
    call_.threads = threads < 1 ? 1 : threads;
    call_.interrupted = interrupted;
  }

  void rollout(Values<float> log_probs, std::optional<Values<const float>> uniforms) {
    call_.log_probs = particles(log_probs);
    if (uniforms && uniforms->size() != actions_.size())
      throw std::invalid_argument("uniforms must be [B, K, T] like the actions");
    call_.uniforms = uniforms ? uniforms->data() : nullptr;
    released([&] { lgs::rollout(call_); });
  }

  void score(Values<float> log_probs) {
    call_.log_probs = particles(log_probs);
    released([&] { lgs::score(call_); });
  }

  void score_backward(Values<float> upstream, const nb::dict& gradients) {
    const Named<float> named(gradients);
    const float* weights = particles(upstream);
    call_.log_probs = nullptr;
    released([&] { lgs::score_backward(call_, weights, named.view(call_.shape)); });
  }

 private:
  float* particles(const Values<float>& values) const {
    if (values.size() != starts_.size()) throw std::invalid_argument("log-probabilities and their gradients are [B, K]");
    return values.data();
  }

  Call call_;
  Named<const float> tables_;
  Values<const int64_t> starts_;
  Values<int64_t> actions_;
  nb::object kept_;
};

/// An elementwise function of one level, for tests; the count is a multiple of sixteen.
template <void (*Engine::*function)(const float*, float*, int64_t)>
void elementwise(Values<const float> x, Values<float> y, const std::string& level) {
  if (x.size() != y.size() || x.size() % kRowLanes) throw std::invalid_argument("x and y need one length, a multiple of 16");
  (engine(level)->*function)(x.data(), y.data(), static_cast<int64_t>(x.size()));
}

}  // namespace
}  // namespace lgs

NB_MODULE(_native, module) {
  using namespace lgs;
  module.def("levels", [] {
    std::vector<std::string> names;
    for (const Engine* engine : engines()) names.emplace_back(engine->name);
    return names;
  });
  module.def("policies", policy_names);
  module.def("exp", elementwise<&Engine::exp>, nb::arg("x"), nb::arg("y"), nb::arg("level"));
  module.def("tanh", elementwise<&Engine::tanh>, nb::arg("x"), nb::arg("y"), nb::arg("level"));
  nb::class_<Job>(module, "Job")
      .def(nb::init<const std::string&, const nb::dict&, const nb::dict&, int, float, bool, Values<const int64_t>,
                    Values<int64_t>, int, const std::string&>(),
           nb::arg("rules"), nb::arg("arrays"), nb::arg("tables"), nb::arg("heads"), nb::arg("clip"),
           nb::arg("forced_start"), nb::arg("starts"), nb::arg("actions"), nb::arg("threads"), nb::arg("level"))
      .def("rollout", &Job::rollout, nb::arg("log_probs"), nb::arg("uniforms").none())
      .def("score", &Job::score, nb::arg("log_probs"))
      .def("score_backward", &Job::score_backward, nb::arg("upstream"), nb::arg("gradients"));
}
