// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/kernel_class.h"

#include "model/analysis/facts/function_name.h"
#include "model/analysis/facts/kernel_traits.h"
#include "model/base/ascii.h"

#include <algorithm>
#include <span>
#include <string>

namespace riffle {

namespace {

using NameParts = std::span<const std::string_view>;

bool hasAnyPart(std::string_view text, NameParts parts)
{
    return std::ranges::any_of(parts, [text](std::string_view part) { return text.find(part) != text.npos; });
}

bool beginsWithAny(std::string_view text, NameParts parts)
{
    return std::ranges::any_of(parts, [text](std::string_view part) { return text.starts_with(part); });
}

bool isLowerLetter(char c) { return c >= 'a' && c <= 'z'; }

/// True if any of the words is in the text without a letter before or after it: "mla" in "flash_mla_fwd".
bool hasAnyWholeWord(std::string_view text, NameParts words)
{
    return std::ranges::any_of(words, [text](std::string_view word) {
        for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
            const size_t end = at + word.size();
            if ((at == 0 || !isLowerLetter(text[at - 1])) && (end == text.size() || !isLowerLetter(text[end])))
                return true;
        }
        return false;
    });
}

constexpr std::string_view kCopyStarts[]{
    "memcpy",           "memset",           "__amd_rocclr_copybuffer", "__amd_rocclr_fillbuffer",
    "copyhosttodevice", "copydevicetohost", "copydevicetodevice"};
constexpr std::string_view kAttentionParts[]{"flash", "fmha",        "attention",  "attn",        "sdpa",
                                             "sage_", "prefillwith", "decodewith", "pagedkvcache"};
constexpr std::string_view kAttentionWords[]{"mha", "mla"};
constexpr std::string_view kAroundAttention[]{"reshape_and_cache", "cache_kernel", "indices", "metadata", "quant"};
constexpr std::string_view kProductParts[]{
    "gemm",   "gemv",   "matmul", "xmma",  "wgmma", "nvjet",    "cijk_", "marlin",       "cutlass",         "conv",
    "scudnn", "hcudnn", "dgrad",  "wgrad", "fprop", "winograd", "_mm_",  "splitkreduce", "fused_moe_kernel"};
constexpr std::string_view kProductWords[]{"bmm", "mm"};
// A part like this makes the name a product, although it may also name the layouts of its inputs.
constexpr std::string_view kSureProducts[]{"gemm", "xmma", "scudnn", "cutlass"};
constexpr std::string_view kAroundProducts[]{"convert", "offsets",  "im2col",  "im2d2col",   "col2im",    "nchw",
                                             "nhwc",    "quantize", "indices", "tensormaps", "transpose", "permute"};

bool isPlainName(std::string_view name)
{
    return std::ranges::all_of(name, [](char c) { return isLowerLetter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

/// The part of a name that says what the kernel does.
std::string kernelSubject(std::string_view kernel, const std::string &lower)
{
    static constexpr std::string_view kWrappers[]{"kernel", "kernel2", "device_kernel", "kentry", "kernel_func"};
    const std::string qualified = asciiLower(functionName(kernel).qualified);
    const size_t scope = qualified.rfind("::");
    const std::string own = scope == qualified.npos ? qualified : qualified.substr(scope + 2);
    const bool wraps = std::ranges::find(kWrappers, own) != std::end(kWrappers);
    if (!wraps && !qualified.starts_with("cutlass"))
        return own;
    // Number types of CUTLASS say nothing about the kernel.
    std::string subject = lower;
    for (const std::string_view type : {"cutlass::bfloat16_t", "cutlass::half_t", "cutlass::float_e4m3_t"})
        for (size_t at = subject.find(type); at != subject.npos; at = subject.find(type, at))
            subject.erase(at, type.size());
    return subject;
}

} // namespace

WorkClass kernelClass(std::string_view kernel)
{
    if (isCommunicationKernel(kernel))
        return WorkClass::Communication;
    const std::string lower = asciiLower(kernel);
    if (beginsWithAny(lower, kCopyStarts))
        return WorkClass::Copies;
    if (lower.starts_with("triton_"))
        return WorkClass::Compiled;
    const std::string subject = kernelSubject(kernel, lower);
    if ((hasAnyPart(subject, kAttentionParts) || hasAnyWholeWord(subject, kAttentionWords)) &&
        !hasAnyPart(subject, kAroundAttention))
        return WorkClass::Attention;
    const bool isProduct = hasAnyPart(subject, kProductParts) || hasAnyWholeWord(subject, kProductWords);
    if (isProduct && (hasAnyPart(subject, kSureProducts) || !hasAnyPart(subject, kAroundProducts)))
        return WorkClass::MatrixProducts;
    const bool isPython = lower.starts_with('_') && isPlainName(lower) && !lower.starts_with("_z");
    return isPython || subject.find("triton") != subject.npos ? WorkClass::Compiled : WorkClass::OtherCompute;
}

} // namespace riffle
