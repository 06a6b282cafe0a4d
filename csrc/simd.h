// Sixteen floats as one value, on whatever vectors the compiler was told it may use.
//
// This file and everything that includes it is compiled once per level (portable, avx2, avx512) into a namespace of
// that level's name, so no function of one level can be linked into another. For the same reason those files use no
// templates of the standard library.
#pragma once
#include <cstdint>
#include <cstring>
#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace lgs {
namespace LGS_LEVEL {

#if defined(__AVX512F__)
constexpr int kNative = 16;
#elif defined(__AVX2__)
constexpr int kNative = 8;
#else
constexpr int kNative = 4;
#endif
constexpr int kLanes = 16;
constexpr int kParts = kLanes / kNative;

typedef float Native __attribute__((vector_size(4 * kNative)));
typedef int32_t NativeInt __attribute__((vector_size(4 * kNative)));

struct Lanes {
  Native part[kParts];
};

#define LGS_PARTS _Pragma("GCC unroll 4") for (int p = 0; p < kParts; ++p)
#define LGS_INLINE inline __attribute__((always_inline))

LGS_INLINE Lanes load(const float* from) {
  Lanes x;
  LGS_PARTS std::memcpy(&x.part[p], from + p * kNative, sizeof(Native));
  return x;
}

LGS_INLINE void store(float* to, const Lanes& x) {
  LGS_PARTS std::memcpy(to + p * kNative, &x.part[p], sizeof(Native));
}

LGS_INLINE Lanes splat(float value) {
  Lanes x;
  LGS_PARTS x.part[p] = Native{} + value;
  return x;
}

LGS_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
  Lanes x;
  LGS_PARTS x.part[p] = a.part[p] + b.part[p];
  return x;
}

LGS_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
  Lanes x;
  LGS_PARTS x.part[p] = a.part[p] - b.part[p];
  return x;
}

LGS_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
  Lanes x;
  LGS_PARTS x.part[p] = a.part[p] * b.part[p];
  return x;
}

LGS_INLINE Lanes operator/(const Lanes& a, const Lanes& b) {
  Lanes x;
  LGS_PARTS x.part[p] = a.part[p] / b.part[p];
  return x;
}

LGS_INLINE Native max(const Native& a, const Native& b) {
#if defined(__AVX512F__)
  return (Native)_mm512_max_ps((__m512)a, (__m512)b);  // GCC makes two instructions of the conditional
#else
  return a > b ? a : b;
#endif
}

LGS_INLINE Native min(const Native& a, const Native& b) {
#if defined(__AVX512F__)
  return (Native)_mm512_min_ps((__m512)a, (__m512)b);
#else
  return a < b ? a : b;
#endif
}

LGS_INLINE Lanes max(const Lanes& a, const Lanes& b) {
  Lanes x;
  LGS_PARTS x.part[p] = max(a.part[p], b.part[p]);
  return x;
}

/// a * b + c, in one rounding where the level has the instruction.
LGS_INLINE Lanes fma(const Lanes& a, const Lanes& b, const Lanes& c) {
  Lanes x;
  LGS_PARTS x.part[p] = a.part[p] * b.part[p] + c.part[p];
  return x;
}

/// `a` where `x` > `limit`, else `b`.
LGS_INLINE Lanes where_above(const Lanes& x, float limit, const Lanes& a, const Lanes& b) {
  Lanes y;
  LGS_PARTS y.part[p] = x.part[p] > Native{} + limit ? a.part[p] : b.part[p];
  return y;
}

// -- between lanes ----------------------------------------------------------------------------------------------

/// The same eight numbers in both halves.
LGS_INLINE Lanes both_halves(const float* eight) {
#if defined(__AVX512F__)
  return {{(Native)_mm512_broadcast_f32x8(_mm256_loadu_ps(eight))}};
#else
  Lanes x;
  LGS_PARTS std::memcpy(&x.part[p], eight + p * kNative % 8, sizeof(Native));
  return x;
#endif
}

/// Both halves of `a` added, then both halves of `b`.
LGS_INLINE Lanes halves_added(const Lanes& a, const Lanes& b) {
#if defined(__AVX512F__)
  const __m512 x = (__m512)a.part[0], y = (__m512)b.part[0];
  return {{(Native)(_mm512_shuffle_f32x4(x, y, 0x44) + _mm512_shuffle_f32x4(x, y, 0xEE))}};
#else
  Lanes x;
  constexpr int half = kParts / 2;
  _Pragma("GCC unroll 2") for (int p = 0; p < half; ++p) {
    x.part[p] = a.part[p] + a.part[p + half];
    x.part[p + half] = b.part[p] + b.part[p + half];
  }
  return x;
#endif
}

/// The sums over all lanes of four values.
LGS_INLINE void store_sums(float* to, const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d) {
  const Lanes ab = halves_added(a, b), cd = halves_added(c, d);
#if defined(__AVX2__)
#if defined(__AVX512F__)
  const __m512 x = (__m512)ab.part[0], y = (__m512)cd.part[0];
  // Each quarter now holds four partial sums of one of a, c, b, d.
  const __m512 quarters = _mm512_shuffle_f32x4(x, y, 0x88) + _mm512_shuffle_f32x4(x, y, 0xDD);
  const __m256 low = _mm512_castps512_ps256(quarters), high = _mm512_extractf32x8_ps(quarters, 1);
  const __m256 pairs = _mm256_hadd_ps(low, high);  // a a c c | b b d d, halved within each quarter
  const __m256 sums = _mm256_hadd_ps(pairs, pairs);
  const __m128 ac = _mm256_castps256_ps128(sums), bd = _mm256_extractf128_ps(sums, 1);
  _mm_storeu_ps(to, _mm_unpacklo_ps(ac, bd));
#else
  const __m256 pairs_ab = _mm256_hadd_ps((__m256)ab.part[0], (__m256)ab.part[1]);
  const __m256 pairs_cd = _mm256_hadd_ps((__m256)cd.part[0], (__m256)cd.part[1]);
  const __m256 sums = _mm256_hadd_ps(pairs_ab, pairs_cd);
  _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1)));
#endif
#else
  float spread[2 * kLanes];
  store(spread, ab);
  store(spread + kLanes, cd);
  for (int i = 0; i < 4; ++i) {
    float sum = 0;
    for (int lane = 0; lane < 8; ++lane) sum += spread[8 * i + lane];
    to[i] = sum;
  }
#endif
}

/// Folds the upper half of all lanes onto the lower one until one is left; each level in the same order.
template <class Fold>
LGS_INLINE float folded(const Lanes& x, Fold fold) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
  const __m512 all = (__m512)x.part[0];
  const __m256 low = _mm512_castps512_ps256(all), high = _mm512_extractf32x8_ps(all, 1);
#else
  const __m256 low = (__m256)x.part[0], high = (__m256)x.part[1];
#endif
  const __m256 eight = fold(low, high);
  const __m128 four = fold(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = fold(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(fold(two, _mm_movehdup_ps(two)));
#else
  float lanes[kLanes];
  store(lanes, x);
  for (int width = 8; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane) lanes[lane] = fold(lanes[lane], lanes[lane + width]);
  return lanes[0];
#endif
}

struct Plus {
  template <class T>
  LGS_INLINE T operator()(T a, T b) const {
    return a + b;
  }
};

LGS_INLINE float sum(const Lanes& x) { return folded(x, Plus{}); }

struct Larger {
#if defined(__AVX2__)
  LGS_INLINE __m256 operator()(__m256 a, __m256 b) const { return _mm256_max_ps(a, b); }
  LGS_INLINE __m128 operator()(__m128 a, __m128 b) const { return _mm_max_ps(a, b); }
#endif
  LGS_INLINE float operator()(float a, float b) const { return a > b ? a : b; }
};

LGS_INLINE float largest(const Lanes& x) { return folded(x, Larger{}); }

/// Per lane of eight the larger one of both halves, in both halves.
LGS_INLINE Lanes halves_largest(const Lanes& x) {
#if defined(__AVX512F__)
  return {{max(x.part[0], (Native)_mm512_shuffle_f32x4((__m512)x.part[0], (__m512)x.part[0], 0x4E))}};
#else
  Lanes y;
  LGS_PARTS y.part[p] = max(x.part[p], x.part[(p + kParts / 2) % kParts]);
  return y;
#endif
}

/// The first lane that equals `value`, or kLanes.
LGS_INLINE int first_equal(const Lanes& x, float value) {
#if defined(__AVX512F__)
  const uint32_t equal = _mm512_cmp_ps_mask((__m512)x.part[0], _mm512_set1_ps(value), _CMP_EQ_OQ);
  return __builtin_ctz(equal | 1u << kLanes);
#elif defined(__AVX2__)
  const __m256 wanted = _mm256_set1_ps(value);
  const uint32_t low = _mm256_movemask_ps(_mm256_cmp_ps((__m256)x.part[0], wanted, _CMP_EQ_OQ));
  const uint32_t high = _mm256_movemask_ps(_mm256_cmp_ps((__m256)x.part[1], wanted, _CMP_EQ_OQ));
  return __builtin_ctz(low | high << 8 | 1u << kLanes);
#else
  float lanes[kLanes];
  store(lanes, x);
  int lane = 0;
  while (lane < kLanes && lanes[lane] != value) ++lane;
  return lane;
#endif
}

// -- functions --------------------------------------------------------------------------------------------------

/// e^x for x <= 88 with a relative error below 3e-7 down to -87; smaller arguments are taken for -87.
LGS_INLINE Lanes exp(const Lanes& argument) {
  typedef uint32_t Bits __attribute__((vector_size(4 * kNative)));
  Lanes y;
  LGS_PARTS {
    Native x = argument.part[p];
    x = max(x, Native{} - 87.0f);
    // x = n ln 2 + r with |r| <= ln 2 / 2: adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    const Native shifted = x * 1.44269504f + 12582912.0f;
    const Native n = shifted - 12582912.0f;
    const Native r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    // Minimax of e^r, relative error 1.1e-7.
    Native poly = r * 8.3125e-3f + 4.189033e-2f;
    poly = poly * r + 1.6667115e-1f;
    poly = poly * r + 4.999923e-1f;
    poly = poly * r + 1.0f;
    poly = poly * r + 1.0f;
    y.part[p] = (Native)((Bits)poly + ((Bits)shifted << 23));
  }
  return y;
}

/// tanh x - 1 = -2 / (e^2x + 1), with an absolute error below 3e-7; it keeps its digits where the tanh saturates.
LGS_INLINE Lanes tanh_below_one(const Lanes& x) {
  Lanes doubled = x + x;
  LGS_PARTS doubled.part[p] = min(doubled.part[p], Native{} + 88.0f);
  return splat(-2) / (exp(doubled) + splat(1));
}

}  // namespace LGS_LEVEL
}  // namespace lgs
