// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// What a kernel's or an operator's name says about it. These read names, not slices: ask once per name.
namespace riffle {

enum class TensorCores : uint8_t { No, Yes, Unknown };

/// Whether a kernel uses tensor cores (NVIDIA) or matrix cores (AMD), by its name: DEFINITIONS R8, case
/// ignored.
/// - yes: the words that TensorBoard's plugin knows (2.7) and those of what came after: wgmma, gmma, wmma,
/// nvjet, tensorop,
///   xmma, cutlass or a gemm for sm80 and later, 16-bit and 8-bit instruction shapes (s16816, i16832, d884),
///   imma, tcgen05, FlashAttention, fmha, "tensor_core", DeepGEMM, Marlin; of AMD mfma, xdl (Composable
///   Kernel), Tensile's "_MI…" and MIOpen's gtcx kernels.
/// - no: element-wise, reduction, copy, index, sort, softmax, norm and optimizer kernels, communication; and
/// matrix products
///   that say that they use ordinary arithmetic: simt, ffma, cuBLAS's sgemm/hgemm/dgemm, cuDNN's scudnn,
///   gemv, FFT and Winograd transforms. These win over "yes": sm80_xmma_gemm_…_ffma multiplies on the
///   ordinary cores.
/// - unknown: everything else. Triton's kernels are, but for those of TorchInductor that say that they are
/// pointwise.
TensorCores tensorCoresOf(std::string_view kernel);

/// Kernels and operators that are communication by DEFINITIONS R3. A kernel: its name contains nccl, rccl,
/// hccl, oneccl or mccl in any case. An operator: that, or a namespace of collectives ("c10d::", "nccl:",
/// "gloo:" …); exact case.
bool isCommunicationKernel(std::string_view kernel);
bool isCommunicationOperator(std::string_view operatorName);

/// Operators whose kernels could use tensor cores with suitable types: the list of 2.7, which froze years
/// ago, and attention, scaled and grouped products beside it.
bool isTensorCoreEligible(std::string_view operatorName);

/// What a matrix product's factors are; decides its device's peak.
enum class ComputeType : uint8_t { Unknown, Fp64, Fp32, Tf32, Fp16, Bf16, Fp8, Fp4, Int8 };
inline constexpr size_t kComputeTypes = 9;

/// Only for kernels that multiply matrices, and only where the name says it.
ComputeType computeTypeOf(std::string_view kernel);
const char *computeTypeName(ComputeType type); ///< "bf16"; "" when unknown

} // namespace riffle
