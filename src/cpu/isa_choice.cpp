#include "cpu/isa_choice.hpp"

#include <cstdlib>
#include <string>

#include "flexor/core/error.hpp"

namespace flexor {

#define FLEXOR_DECLARE_ISA(name)                          \
  namespace name {                                        \
  extern const TileKernels kFloatKernels, kDoubleKernels; \
  }
FLEXOR_DECLARE_ISA(scalar)
#ifdef FLEXOR_HAS_PACKS
FLEXOR_DECLARE_ISA(baseline)
#endif
#ifdef FLEXOR_HAS_X86_ISA
FLEXOR_DECLARE_ISA(avx2)
FLEXOR_DECLARE_ISA(avx512)
#endif

namespace {

struct Variant {
  const char* name;
  bool runs;
  const TileKernels* kernels[2];  // double, float
};

}  // namespace

const TileKernels& choose_kernels(bool is_float) {
#ifdef FLEXOR_HAS_X86_ISA
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
  const Variant variants[] = {
#ifdef FLEXOR_HAS_X86_ISA
      {"avx512", has_avx512, {&avx512::kDoubleKernels, &avx512::kFloatKernels}},
      {"avx2", has_avx2, {&avx2::kDoubleKernels, &avx2::kFloatKernels}},
#endif
#ifdef FLEXOR_HAS_PACKS
      {"baseline", true, {&baseline::kDoubleKernels, &baseline::kFloatKernels}},
#endif
      {"scalar", true, {&scalar::kDoubleKernels, &scalar::kFloatKernels}},
  };
  const char* asked = std::getenv("FLEXOR_ISA");
  std::string legal;
  for (const Variant& v : variants) {
    if (!v.runs) continue;
    if (!asked || !*asked || std::string(asked) == v.name) return *v.kernels[is_float];
    legal += (legal.empty() ? "'" : ", '") + std::string(v.name) + "'";
  }
  throw ConfigError("FLEXOR_ISA (environment): '" + std::string(asked) +
                    "' given; legal on this processor: " + legal);
}

}  // namespace flexor
