// Numbered tasks on a few threads, with the calling thread free to answer Ctrl-C.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>

namespace lgs {

/// Thrown when `interrupted` said so; the tasks have stopped.
struct Interrupted {};

/// Runs task(worker, index) for each index in [0, count), handed out in ascending order.
///
/// The calling thread only waits and now and then asks `interrupted`; when that is true `stop` is set, which the tasks
/// watch. An exception in a task ends the others and is thrown here.
void parallel(int threads, int64_t count, const std::function<void(int, int64_t)>& task,
              const std::function<bool()>& interrupted, std::atomic<bool>& stop);

}  // namespace lgs
