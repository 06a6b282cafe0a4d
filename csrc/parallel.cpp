#include "parallel.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lgs {

void parallel(int threads, int64_t count, const std::function<void(int, int64_t)>& task,
              const std::function<bool()>& interrupted, std::atomic<bool>& stop) {
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::condition_variable finished;
  std::exception_ptr failure;
  int running = static_cast<int>(threads < count ? threads : count);

  const auto work = [&](int worker) {
    try {
      for (int64_t index = next++; index < count && !stop; index = next++) task(worker, index);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    --running;
    finished.notify_one();
  };

  std::vector<std::thread> workers;
  for (int worker = 0, all = running; worker < all; ++worker) workers.emplace_back(work, worker);
  bool cancelled = false;
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
      lock.unlock();
      if (!cancelled && interrupted()) cancelled = stop = true;
      lock.lock();
    }
  }
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
  if (cancelled) throw Interrupted{};
}

}  // namespace lgs
