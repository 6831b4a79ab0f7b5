// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Properties of kernels and operators that follow from their names. The functions take names, not slices, so call them
/// once per name.
namespace riffle {

enum class TensorCores : uint8_t { No, Yes, Unknown };

/// Decides by its name whether a kernel uses tensor cores (NVIDIA) or matrix cores (AMD). See R8; case is ignored.
/// - Yes: the words of TensorBoard's plugin (DEFINITIONS 2.7) and of later technology: wgmma, gmma, wmma, nvjet,
///   tensorop, xmma, cutlass or a gemm for sm80 and later, 16-bit and 8-bit instruction shapes (s16816, i16832, d884),
///   imma, tcgen05, FlashAttention, fmha, "tensor_core", DeepGEMM, Marlin; for AMD mfma, xdl (Composable Kernel),
///   Tensile's "_MI…" and MIOpen's gtcx kernels.
/// - No: element-wise, reduction, copy, index, sort, softmax, norm and optimizer kernels, communication, and matrix
///   products whose names show ordinary arithmetic: simt, ffma, cuBLAS's sgemm/hgemm/dgemm, cuDNN's scudnn, gemv, FFT
///   and Winograd transforms. These take precedence over Yes: sm80_xmma_gemm_…_ffma multiplies on the ordinary cores.
/// - Unknown: everything else, including Triton's kernels, except for those of TorchInductor whose names show that they
///   are pointwise or reductions.
TensorCores tensorCoresOf(std::string_view kernel);

/// True if the text contains nccl, rccl, hccl, oneccl or mccl in any case.
bool namesCollectiveLibrary(std::string_view text);
/// True if a kernel or operator counts as communication according to DEFINITIONS R3. The name of a kernel must contain
/// the name of such a library, or be that of a function that communicates without one (DeepEP's
/// "deep_ep::intranode::dispatch", NVSHMEM, "cross_device_reduce_1stage"). The name of an operator must fulfil the same
/// or start with a namespace of collectives ("c10d::", "nccl:", "gloo:" …) in exact case.
bool isCommunicationKernel(std::string_view kernel);
bool isCommunicationOperator(std::string_view operatorName);
/// True for collectives that the host itself carries out, from their start to their end: "gloo:all_reduce", "mpi:send".
bool isHostCollective(std::string_view name);

/// True for operators whose kernels could use tensor cores with suitable types: the list of DEFINITIONS 2.7, which has
/// not changed for years, plus attention and scaled and grouped products.
bool isTensorCoreEligible(std::string_view operatorName);

/// The type of a matrix product's factors; it determines the device's peak.
enum class ComputeType : uint8_t { Unknown, Fp64, Fp32, Tf32, Fp16, Bf16, Fp8, Fp4, Int8 };
inline constexpr size_t kComputeTypes = 9;

/// The type according to the kernel's name; Unknown if the kernel does not multiply matrices or the name does not show
/// the type.
ComputeType computeTypeOf(std::string_view kernel);
const char *computeTypeName(ComputeType type); ///< "bf16"; "" if unknown

} // namespace riffle
