#include "kernel.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "parallel.h"

namespace lgs {
namespace {

/// Particles per task of `score`: fixed, because the gradients of a task are summed before they meet the others'.
constexpr int64_t kScored = 16;

bool finite(const float* values, int64_t count) {
  uint32_t worst = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, values + i, sizeof bits);
    worst = std::max(worst, bits & 0x7f800000u);
  }
  return worst < 0x7f800000u;
}

void check_tables(const Shape& shape, const Plain<const float>& tables) {
  const int64_t batch = shape.batch, dim = shape.dim(), nodes = shape.nodes;
  const auto check = [](const char* name, const float* values, int64_t count) {
    if (values && !finite(values, count))
      throw std::invalid_argument("the decoder's table '" + std::string(name) + "' holds NaN or infinite numbers");
  };
  check("query", tables.query, batch * shape.particles * dim);
  check("anchors", tables.anchors, batch * shape.anchors * nodes * dim);
  check("scalars", tables.scalars, batch * shape.scalars * dim);
  check("keys", tables.keys, batch * nodes * dim);
  check("values", tables.values, batch * nodes * dim);
  check("logit_keys", tables.logit_keys, batch * nodes * dim);
  check("residual", tables.residual, batch * shape.particles * dim);
  check("pairwise", tables.pairwise, batch * nodes * nodes);
  check("feature_keys", tables.feature_keys, batch * shape.features * dim);
  check("feature_values", tables.feature_values, batch * shape.features * dim);
  check("feature_logits", tables.feature_logits, batch * shape.features * dim);
  check("feature_bias", tables.feature_bias, batch * shape.features);
}

/// Every start and action is a node or kNone; a problem with forced starts has them all.
void check_nodes(const Call& call) {
  const Shape& shape = call.shape;
  const int64_t particles = shape.batch * shape.particles;
  const int64_t lowest = call.forced_start ? 0 : kNone;
  for (int64_t i = 0; i < particles; ++i)
    if (call.starts[i] < lowest || call.starts[i] >= shape.nodes)
      throw std::invalid_argument("start " + std::to_string(call.starts[i]) + " is no node of an instance with " +
                                  std::to_string(shape.nodes) + " nodes");
  for (int64_t i = 0; i < particles * shape.horizon; ++i)
    if (call.actions[i] < kNone || call.actions[i] >= shape.nodes)
      throw std::invalid_argument("action " + std::to_string(call.actions[i]) + " is no node of an instance with " +
                                  std::to_string(shape.nodes) + " nodes");
}

std::vector<PackedBuffer> buffers(int64_t count, const Shape& shape, bool pairwise) {
  std::vector<PackedBuffer> made;
  for (int64_t i = 0; i < count; ++i) made.emplace_back(shape, pairwise);
  return made;
}

/// Checks the call and packs the tables of every instance.
std::vector<PackedBuffer> prepare(const Call& call, std::atomic<bool>& stop) {
  check_tables(call.shape, call.tables);
  check_nodes(call);
  // Policies read their arrays without looking: one episode per instance makes them look now.
  for (int64_t b = 0; b < call.shape.batch; ++b) call.policy->make(call.arrays, b, call.shape.nodes);
  std::vector<PackedBuffer> packed = buffers(call.shape.batch, call.shape, false);
  parallel(call.threads, call.shape.batch,
           [&](int, int64_t b) { packed[b].pack(call.shape, call.tables, b); }, call.interrupted, stop);
  return packed;
}

/// Scratch of one worker, on a cache line's boundary.
class Room {
 public:
  explicit Room(int64_t floats) : room_(floats + kRowLanes) {}
  float* get() { return reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(room_.data()) + 63) & ~uintptr_t{63}); }

 private:
  std::vector<float> room_;
};

/// The part of the call that concerns particles [first, first + count) of an instance.
Task slice(const Call& call, int64_t instance, int64_t first, int64_t count) {
  const Shape& shape = call.shape;
  const int64_t at = instance * shape.particles + first;
  Task task{};
  task.shape = &shape;
  task.particles = static_cast<int>(count);
  task.query = call.tables.query + at * shape.dim();
  task.residual = call.tables.residual ? call.tables.residual + at * shape.dim() : nullptr;
  task.starts = call.starts + at;
  task.actions = call.actions + at * shape.horizon;
  task.log_probs = call.log_probs ? call.log_probs + at : nullptr;
  task.uniforms = call.uniforms ? call.uniforms + at * shape.horizon : nullptr;
  return task;
}

/// Lets the tasks of one instance add their gradients in order, whichever thread they run on.
class Turns {
 public:
  Turns(int64_t instances, const std::atomic<bool>& stop) : next_(instances, 0), stop_(stop) {}

  /// Calls `body` once all tasks before `turn` of the instance have called theirs; never, if stopped before.
  template <class Body>
  void take(int64_t instance, int64_t turn, Body body) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (next_[instance] != turn) {
      if (stop_) return;
      changed_.wait_for(lock, std::chrono::milliseconds(20));
    }
    lock.unlock();
    body();
    lock.lock();
    ++next_[instance];
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int64_t> next_;
  const std::atomic<bool>& stop_;
};

/// Runs `body(task, worker, instance, group)` for the groups of `kScored` particles of every instance.
template <class Body>
void each_group(const Call& call, std::atomic<bool>& stop, Body body) {
  std::vector<PackedBuffer> packed = prepare(call, stop);
  const Shape& shape = call.shape;
  const int64_t groups = (shape.particles + kScored - 1) / kScored;
  std::vector<Room> rooms(call.threads, Room(call.engine->scratch_floats(shape)));
  const auto work = [&](int worker, int64_t index) {
    const int64_t instance = index / groups, group = index % groups, first = group * kScored;
    Task task = slice(call, instance, first, std::min(kScored, shape.particles - first));
    const std::unique_ptr<Episode> episode = call.policy->make(call.arrays, instance, shape.nodes);
    Episode* const only = episode.get();
    task.episodes = &only;
    task.tables = &packed[instance].view;
    task.scratch = rooms[worker].get();
    task.stop = &stop;
    body(task, worker, instance, group);
  };
  parallel(call.threads, shape.batch * groups, work, call.interrupted, stop);
}

}  // namespace

std::vector<const Engine*> engines() {
  std::vector<const Engine*> found;
  for (const Engine* engine : {
#ifdef LGS_X86
           &avx512::engine, &avx2::engine,
#endif
           &portable::engine})
    if (engine->available()) found.push_back(engine);
  return found;
}

void rollout(const Call& call) {
  std::atomic<bool> stop{false};
  std::vector<PackedBuffer> packed = prepare(call, stop);
  const Shape& shape = call.shape;
  // Particles do not meet, so the blocks may depend on the number of threads: enough of them to share out evenly.
  const int64_t fair = shape.batch * shape.particles / (4 * call.threads);
  const int64_t size = std::clamp<int64_t>(fair, 8, kBlock), blocks = (shape.particles + size - 1) / size;
  std::vector<Room> rooms(call.threads, Room(call.engine->scratch_floats(shape)));
  const auto work = [&](int worker, int64_t index) {
    const int64_t instance = index / blocks, block = index % blocks;
    const int64_t first = block * shape.particles / blocks, end = (block + 1) * shape.particles / blocks;
    Task task = slice(call, instance, first, end - first);
    std::vector<std::unique_ptr<Episode>> episodes;
    std::vector<Episode*> pointers;
    for (int64_t i = first; i < end; ++i) {
      episodes.push_back(call.policy->make(call.arrays, instance, shape.nodes));
      pointers.push_back(episodes.back().get());
    }
    task.episodes = pointers.data();
    task.tables = &packed[instance].view;
    task.scratch = rooms[worker].get();
    task.stop = &stop;
    call.engine->rollout(task);
  };
  parallel(call.threads, shape.batch * blocks, work, call.interrupted, stop);
}

void score(const Call& call) {
  std::atomic<bool> stop{false};
  each_group(call, stop, [&](const Task& task, int, int64_t, int64_t) { call.engine->score(task, nullptr); });
}

void score_backward(const Call& call, const float* upstream, const Plain<float>& gradients) {
  const Shape& shape = call.shape;
  const bool attention = gradients.query || gradients.anchors || gradients.scalars || gradients.keys ||
                         gradients.values || gradients.residual || gradients.feature_keys || gradients.feature_values;
  std::vector<PackedBuffer> partial = buffers(call.threads, shape, gradients.pairwise != nullptr);
  std::atomic<bool> stop{false};
  Turns turns(shape.batch, stop);
  each_group(call, stop, [&](const Task& task, int worker, int64_t instance, int64_t group) {
    const int64_t at = instance * shape.particles + group * kScored;
    partial[worker].clear();
    Gradient gradient{};
    gradient.upstream = upstream + at;
    gradient.tables = &partial[worker].view;
    gradient.query = gradients.query ? gradients.query + at * shape.dim() : nullptr;
    gradient.residual = gradients.residual ? gradients.residual + at * shape.dim() : nullptr;
    gradient.attention = attention;
    call.engine->score(task, &gradient);
    turns.take(instance, group, [&] { partial[worker].add_to(shape, gradients, instance); });
  });
}

}  // namespace lgs
