// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/kernel_traits.h"

#include "model/analysis/facts/function_name.h"
#include "model/base/ascii.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

namespace riffle {

namespace {

bool isLetter(char c) { return c >= 'a' && c <= 'z'; }

bool contains(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

using Words = std::span<const std::string_view>;

bool containsAny(std::string_view text, Words words)
{
    return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return contains(text, word); });
}

/// True if the word is in the text without a letter before it: "sgemm" in "magma_sgemmEx" but not in "classgemm".
bool startsAWord(std::string_view text, std::string_view word)
{
    for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
        if (at == 0 || !isLetter(text[at - 1]))
            return true;
    return false;
}

/// True if the word is in the text without a letter before or after it: "imma" in "_imma_" but not in "dimmap".
bool hasWord(std::string_view text, std::string_view word)
{
    for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const size_t end = at + word.size();
        if ((at == 0 || !isLetter(text[at - 1])) && (end == text.size() || !isLetter(text[end])))
            return true;
    }
    return false;
}

bool hasAnyWord(std::string_view text, Words words)
{
    return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return hasWord(text, word); });
}

bool startsWithAny(std::string_view text, Words words)
{
    return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return text.starts_with(word); });
}

bool isOneOf(std::string_view text, Words words) { return std::find(words.begin(), words.end(), text) != words.end(); }

constexpr std::string_view kCommunication[]{"nccl", "rccl", "hccl", "oneccl", "mccl"};

// Parts of the names of functions that communicate without such a library: the namespaces of DeepEP and its relatives
// (expert parallelism), NVSHMEM, the all-reduce of vLLM and SGLang, and PyTorch's symmetric memory.
constexpr std::string_view kCommunicationParts[]{
    "internode::",   "intranode::",         "internode_ll::",      "nvshmem",
    "multimem_all_", "cross_device_reduce", "one_shot_all_reduce", "two_shot_all_reduce"};
// In the same namespaces, but it only counts.
constexpr std::string_view kOnlyCounts = "get_dispatch_layout";

// The words of TensorBoard's plugin (DEFINITIONS 2.7).
constexpr std::string_view kTensorCorePlugin[]{"h884",
                                               "s884",
                                               "h1688",
                                               "s1688",
                                               "hmma",
                                               "i8816",
                                               "16816",
                                               "dgrad_1x1_stride_2x2",
                                               "first_layer_wgrad_kernel",
                                               "conv1x1",
                                               "conv2d_c1_k1",
                                               "direct_group",
                                               "xmma_implicit_gemm",
                                               "xmma_sparse_conv",
                                               "xmma_warp_specialized_implicit_gemm",
                                               "xmma_gemm",
                                               "xmma_sparse_gemm",
                                               "c1688"};

constexpr std::string_view kTensorCoreLater[]{
    "gmma",         "wmma",           "tcgen05", "tmaumma",   "nvjet",    "tensorop",  "tensor_core", "d884",
    "s1684",        "i16832",         "s16832",  "i16864",    "s16864",   "flash_fwd", "flash_bwd",   "flashattnfwd",
    "flashattnbwd", "flashattention", "fmha",    "deep_gemm", "fp8_gemm", "marlin",    "mfma",        "xdl",
    "gtcx",         "bgmma",          "qgmma",   "sm100_mma", "s161616"};
constexpr std::string_view kTensorCoreInstructions[]{"imma", "qmma", "dmma", "umma"};
constexpr std::string_view kMatrixLibraries[]{"xmma", "cutlass", "gemm", "bmm", "fmha"};

// Kernels that use ordinary arithmetic, regardless of the rest of the name, and kernels that prepare, combine or
// convert data for attention or a matrix product.
constexpr std::string_view kOrdinaryArithmetic[]{"simt",         "_ffma_",        "scudnn",          "hcudnn",
                                                 "reducesplitk", "splitkreduce",  "splitkv_combine", "splitkvcombine",
                                                 "repack",       "gemmk1_kernel", "subtensorop",     "naive_conv"};
constexpr std::string_view kBesideAttention[]{"bwd_dot_do_o",   "bwd_convert",    "bwd_clear",       "bwdpreprocess",
                                              "bwdpostprocess", "bwd_preprocess", "bwd_postprocess", "fwdcombine",
                                              "fwd_combine",    "ograddoto",      "convertqgrad"};
constexpr std::string_view kOrdinaryProducts[]{"sgemm", "hgemm", "dgemm", "cgemm", "zgemm", "gcgemm"};

/// Words in the qualified names of functions that do not multiply matrices, grouped by kind.
constexpr std::string_view kNoMatrixWork[]{
    // element-wise operations, also fused ones
    "elementwise", "pointwise", "foreach", "multi_tensor_apply", "vectorized", "unrolled", "cast", "clamp", "quant",
    "act_and_mul", "swiglu", "silu", "gelu", "rotary", "dropout", "distribution_", "epilogue::impl",
    // reduction, and products that are reductions
    "reduce", "reduction", "rowwisemoments", "dot_kernel", "gemv", "gemmsn_", "cub::", "thrust::", "rocprim", "hipcub",
    // copy
    "copy", "memcpy", "memset", "fill", "catarray", "concat", "transpose", "permute", "transform_bias", "nchwtonhwc",
    "nhwctonchw", "nhwctofolded", "foldednhwc", "converttensor", "scalepackedtensor", "subtensorop", "im2col",
    "im2d2col", "col2im", "nchw2cnhw", "cnhw2nchw", "cache",
    // index
    "index", "indices", "gather", "scatter", "embedding", "offsets", "write_ind", "lengths", "pool", "upsample",
    "interpolate", "grid_sampl", "nms", "roi_align",
    // sort
    "sort", "topk", "scan", "histogram", "unique", "cumsum", "to_dense",
    // softmax and norm, losses
    "softmax", "norm", "bn_fw", "bn_bw", "gammabeta", "nll_loss", "cunn_",
    // optimizer
    "adam", "adagrad", "sgd_", "optimizer",
    // convolution without matrices
    "depthwise", "fft", "winograd", "wgrad_alg0_engine", "dgrad_engine", "convolve_sgemm"};
/// A name with one of these words may be a product with one of the above operations fused into it, so it is unknown.
constexpr std::string_view kMatrixWork[]{"gemm", "matmul",  "attention", "attn",   "conv_",   "bmm",   "_mm_",
                                         "fmha", "prefill", "decode",    "chunk_", "indexer", "logits"};
/// Exceptions to the above: operations that are never fused into a product.
constexpr std::string_view kNeverFused[]{"gemv", "gemmsn_", "reduce", "transpose", "convolve_sgemm", "depthwise"};

/// "sm80", "sm90a", "sm_100f": a target with tensor cores of the third generation or later.
bool namesLaterTarget(std::string_view name)
{
    for (size_t at = name.find("sm"); at != std::string_view::npos; at = name.find("sm", at + 2)) {
        size_t begin = at + 2;
        if (begin < name.size() && name[begin] == '_')
            ++begin;
        size_t end = begin;
        while (end < name.size() && asciiDigit(name[end]))
            ++end;
        if ((end - begin == 2 && name[begin] >= '8') || (end - begin == 3 && name[begin] == '1'))
            return true;
    }
    return false;
}

/// Judges a matrix product of Tensile: "Cijk_Ailk_Bjlk_…_MT128x64x64_MI16x16x16x1_…"; MI is the matrix instruction.
TensorCores tensileProduct(std::string_view name)
{
    const size_t at = name.find("_mi");
    return at != std::string_view::npos && at + 3 < name.size() && asciiDigit(name[at + 3]) ? TensorCores::Yes
                                                                                            : TensorCores::No;
}

/// Judges a Triton kernel. The names of TorchInductor's kernels start with their kind.
TensorCores tritonKernel(std::string_view name)
{
    if (name.starts_with("triton_poi_") || name.starts_with("triton_for_"))
        return TensorCores::No;
    // With an option that is off by default, a reduction can be a product, and its name contains "mm_". However, a
    // reduction that only follows a product can have "addmm" in its name, so these names decide nothing.
    if ((name.starts_with("triton_red_") || name.starts_with("triton_per_")) && !contains(name, "mm_"))
        return TensorCores::No;
    return TensorCores::Unknown;
}

/// True for kernels of PyTorch's memory-efficient attention that do not use tensor cores. Half precision uses them from
/// sm70 on, single precision from sm80 on.
bool efficientAttentionWithout(std::string_view name)
{
    if (!contains(name, "fmha_cutlass"))
        return false;
    return contains(name, "_sm50") || (contains(name, "_f32_") && (contains(name, "_sm70") || contains(name, "_sm75")));
}

/// The type of A in "Cijk_Ailk_Bjlk_BBS_BH_…", in which the types of A, of the result and of the sum follow the
/// indices.
ComputeType tensileType(std::string_view name)
{
    static constexpr std::string_view kIndices = "cijk_ailk_bjlk_"; // all four layouts have this length
    if (name.size() <= kIndices.size())
        return ComputeType::Unknown;
    const std::string_view types = name.substr(kIndices.size());
    if (types.starts_with("f8") || types.starts_with("b8"))
        return ComputeType::Fp8;
    if (types.starts_with("i8") || types.starts_with("4xi8"))
        return ComputeType::Int8;
    if (types.starts_with("sx")) // single precision, multiplied by the faster, less precise instruction
        return ComputeType::Tf32;
    switch (types.front()) {
    case 'b': return ComputeType::Bf16;
    case 'h': return ComputeType::Fp16;
    case 's': return ComputeType::Fp32;
    case 'd': return ComputeType::Fp64;
    default: return ComputeType::Unknown;
    }
}

/// The type in "nvjet_tst_…": the letters give the types of the factors (two letters if these can differ), of the sum
/// and of the result.
ComputeType nvjetType(std::string_view name)
{
    switch (name.size() > 6 ? name[6] : ' ') {
    case 't': return ComputeType::Bf16;
    case 'h': return ComputeType::Fp16;
    case 'q': return ComputeType::Fp8;
    case 'd': return ComputeType::Fp64;
    default: return ComputeType::Unknown;
    }
}

bool saysYes(std::string_view name)
{
    return containsAny(name, kTensorCorePlugin) || containsAny(name, kTensorCoreLater) ||
           hasAnyWord(name, kTensorCoreInstructions) ||
           contains(name, "cutlass::device_kernel<") || // CUTLASS 3: sm90 and later
           (containsAny(name, kMatrixLibraries) && namesLaterTarget(name));
}

/// The name without namespaces, whose words mislead: "fbgemm_gpu::permute_2D_data_kernel" multiplies nothing.
std::string_view ownName(std::string_view qualified)
{
    const size_t scope = qualified.rfind("::");
    return scope == std::string_view::npos ? qualified : qualified.substr(scope + 2);
}

bool isMatrixWork(std::string_view own) { return containsAny(own, kMatrixWork) && !containsAny(own, kNeverFused); }

bool saysOrdinary(std::string_view name)
{
    if (containsAny(name, kOrdinaryArithmetic) || efficientAttentionWithout(name))
        return true;
    if ((contains(name, "flash") || contains(name, "fmha")) && containsAny(name, kBesideAttention))
        return true;
    // True for "ampere_sgemm_128x64" and "magma_sgemmEx", but not for "cutlass_75_tensorop_s1688gemm", in which digits
    // precede "gemm".
    return std::any_of(std::begin(kOrdinaryProducts), std::end(kOrdinaryProducts),
                       [name](std::string_view word) { return startsAWord(name, word); });
}

} // namespace

TensorCores tensorCoresOf(std::string_view kernel)
{
    const std::string name = asciiLower(kernel);
    if (isCommunicationKernel(kernel))
        return TensorCores::No;
    if (name.starts_with("triton_"))
        return tritonKernel(name);
    if (name.starts_with("cijk_"))
        return tensileProduct(name);
    // The names of MIOpen's hand-written kernels contain words that the plugin lists for cuDNN's kernels.
    if (contains(name, "asmconv"))
        return TensorCores::Unknown;
    const std::string qualified = asciiLower(functionName(kernel).qualified);
    const std::string_view own = ownName(qualified);
    if (saysOrdinary(own))
        return TensorCores::No;
    if (saysYes(own))
        return TensorCores::Yes;
    if (containsAny(qualified, kNoMatrixWork) && !isMatrixWork(own))
        return TensorCores::No;
    if (saysOrdinary(name))
        return TensorCores::No;
    return saysYes(name) ? TensorCores::Yes : TensorCores::Unknown;
}

bool namesCollectiveLibrary(std::string_view text) { return containsAny(asciiLower(text), kCommunication); }

bool isCommunicationKernel(std::string_view kernel)
{
    const std::string name = asciiLower(kernel);
    if (containsAny(name, kCommunication))
        return true;
    if (!contains(name, "node") && !containsAny(name, kCommunicationParts))
        return false;
    // A type of an argument may come from such a namespace, too; only the function's own name counts.
    const std::string qualified = asciiLower(functionName(kernel).qualified);
    return containsAny(qualified, kCommunicationParts) && !contains(qualified, kOnlyCounts);
}

bool isHostCollective(std::string_view name) { return name.starts_with("gloo:") || name.starts_with("mpi:"); }

bool isCommunicationOperator(std::string_view operatorName)
{
    static constexpr std::string_view kNamespaces[]{
        "c10d::", "c10d_functional::", "_c10d_functional::", "nccl:", "gloo:", "mpi:", "ucc:", "xccl:",
        "hccl:",  "record_param_comms"};
    if (startsWithAny(operatorName, kNamespaces))
        return true;
    // Operators of symmetric memory that are not fused with a product.
    if (operatorName.starts_with("symm_mem::") && !operatorName.starts_with("symm_mem::fused_") &&
        !contains(operatorName, "matmul"))
        return true;
    return isCommunicationKernel(operatorName);
}

bool isTensorCoreEligible(std::string_view operatorName)
{
    static constexpr std::string_view kOperators[]{"_convolution",
                                                   "conv1d",
                                                   "conv2d",
                                                   "conv3d",
                                                   "conv_tbc",
                                                   "conv_transpose1d",
                                                   "conv_transpose2d",
                                                   "conv_transpose3d",
                                                   "convolution",
                                                   "cudnn_convolution",
                                                   "cudnn_convolution_transpose",
                                                   "prelu",
                                                   "addmm",
                                                   "addmv",
                                                   "addr",
                                                   "matmul",
                                                   "mm",
                                                   "mv",
                                                   "linear",
                                                   "addbmm",
                                                   "baddbmm",
                                                   "bmm",
                                                   "chain_matmul",
                                                   "linalg_multi_dot",
                                                   "_thnn_fused_lstm_cell",
                                                   "_thnn_fused_gru_cell",
                                                   "lstm_cell",
                                                   "gru_cell",
                                                   "rnn_tanh_cell",
                                                   "rnn_relu_cell",
                                                   "addmm_",
                                                   "cudnn_convolution_backward",
                                                   "cudnn_convolution_backward_weight",
                                                   "cudnn_convolution_backward_input",
                                                   "cudnn_convolution_transpose_backward",
                                                   "cudnn_convolution_transpose_backward_weight",
                                                   "cudnn_convolution_transpose_backward_input",
                                                   "convolution_backward",
                                                   "miopen_convolution",
                                                   "miopen_convolution_transpose",
                                                   "baddbmm_",
                                                   "_scaled_mm",
                                                   "_grouped_mm",
                                                   "_scaled_grouped_mm",
                                                   "_addmm_activation",
                                                   "_int_mm"};
    static constexpr std::string_view kBackward[]{"CudnnConvolutionBackward",
                                                  "CudnnConvolutionTransposeBackward",
                                                  "BmmBackward",
                                                  "MmBackward",
                                                  "AddmmBackward",
                                                  "AddmvBackward",
                                                  "AddbmmBackward",
                                                  "MvBackward",
                                                  "ConvolutionBackward",
                                                  "BaddbmmBackward"};
    static constexpr std::string_view kAttention[]{"scaled_dot_product_", "_flash_attention_", "_efficient_attention_",
                                                   "_cudnn_attention_"};
    static constexpr std::string_view kAttentionLibraries[]{"flash_attn::", "flash_attn_3::"};
    if (operatorName.starts_with("aten::")) {
        std::string_view name = operatorName.substr(6);
        if (isOneOf(name, kOperators))
            return true;
        name.remove_prefix(name.starts_with("_scaled_dot_product_") ? 1 : 0);
        return startsWithAny(name, kAttention);
    }
    if (operatorName.ends_with(
            '0')) // autograd appends it if a function has several derivatives; the list does not have it
        operatorName.remove_suffix(1);
    return isOneOf(operatorName, kBackward) || startsWithAny(operatorName, kAttentionLibraries);
}

ComputeType computeTypeOf(std::string_view kernel)
{
    static constexpr std::string_view kFp8[]{"e4m3", "e5m2", "float8"};
    static constexpr std::string_view kInt8[]{"i8816", "i16832", "i8i8"};
    static constexpr std::string_view kInt8Words[]{"int8", "imma"};
    static constexpr std::string_view kFp4[]{"e2m1"};
    static constexpr std::string_view kSingle[]{"sgemm", "scudnn", "_ffma_"};
    static constexpr std::string_view kBf16[]{"bf16", "bfloat16", "df16b"};
    static constexpr std::string_view kHalf[]{"f16", "fp16", "half", "h884", "h1688", "h16816", "hgemm"};
    static constexpr std::string_view kDouble[]{"d884", "dgemm", "double"};

    const std::string name = asciiLower(kernel);
    if (name.starts_with("cijk_"))
        return tensileType(name);
    if (name.starts_with("nvjet_"))
        return nvjetType(name);
    const TensorCores tensorCores = tensorCoresOf(kernel);
    const std::string qualified = asciiLower(functionName(kernel).qualified);
    if (tensorCores != TensorCores::Yes && !isMatrixWork(ownName(qualified)) && !containsAny(name, kSingle))
        return ComputeType::Unknown;
    // Test fp8 before fp4: in a product of 4-bit and 8-bit numbers, the 8-bit type determines the speed.
    if (containsAny(name, kFp8) || hasWord(name, "fp8"))
        return ComputeType::Fp8;
    if (containsAny(name, kFp4) || hasWord(name, "fp4"))
        return ComputeType::Fp4;
    if (containsAny(name, kInt8) || hasAnyWord(name, kInt8Words))
        return ComputeType::Int8;
    if (containsAny(name, kSingle)) // tested before the types of the inputs: "ampere_fp16_sgemm_fp16_128x64_tn"
        return ComputeType::Fp32;
    if (contains(name, "tf32"))
        return ComputeType::Tf32;
    if (containsAny(name, kBf16))
        return ComputeType::Bf16;
    if (containsAny(name, kHalf))
        return ComputeType::Fp16;
    if (containsAny(name, kDouble))
        return ComputeType::Fp64;
    // Instructions of the shapes 16x8x8 and 16x8x4 without a 16-bit type are TF32 instructions.
    if (contains(name, "s1688") || contains(name, "s1684"))
        return ComputeType::Tf32;
    return tensorCores == TensorCores::No && contains(name, "float") ? ComputeType::Fp32 : ComputeType::Unknown;
}

const char *computeTypeName(ComputeType type)
{
    switch (type) {
    case ComputeType::Fp64: return "fp64";
    case ComputeType::Fp32: return "fp32";
    case ComputeType::Tf32: return "tf32";
    case ComputeType::Fp16: return "fp16";
    case ComputeType::Bf16: return "bf16";
    case ComputeType::Fp8: return "fp8";
    case ComputeType::Fp4: return "fp4";
    case ComputeType::Int8: return "int8";
    case ComputeType::Unknown: break;
    }
    return "";
}

} // namespace riffle
