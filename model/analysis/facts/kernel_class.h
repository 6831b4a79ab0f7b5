// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/work_class.h"

#include <string_view>

namespace riffle {

/// Decides by a kernel's name what kind of work it is; case is ignored, and the first rule that fits counts. The name
/// is the function's own, without namespaces, template arguments and parameters, because those name what the kernel is
/// built of. Only for wrappers (cutlass::Kernel, ck_tile::kentry, gemvx::kernel) do the template arguments or the
/// namespace say what it does, so there the whole name is judged.
/// - Communication: isCommunicationKernel().
/// - Copies: Memcpy, Memset, and ROCm's copyBuffer and fillBuffer.
/// - Compiled: TorchInductor's "triton_…", whatever it fuses.
/// - Attention: flash, fmha, attention, attn, sdpa, mha and mla as words, FlashInfer's prefill and decode,
/// SageAttention.
///   Kernels that write the cache, indices or metadata for attention are other compute.
/// - Matrix products, with convolutions: gemm, gemv, matmul, bmm, xmma, wgmma, nvjet, Tensile's "Cijk", marlin,
/// CUTLASS,
///   conv, scudnn and the other names of cuDNN's convolutions, Winograd; also the sum after a split product. Layout
///   conversions, offsets and im2col around a convolution are other compute.
/// - Compiled, again: other names with "triton", and plain names such as "_layer_norm_fwd_fused", which Triton takes
/// from
///   Python functions.
/// - Other compute: everything else.
WorkClass kernelClass(std::string_view kernel);

} // namespace riffle
