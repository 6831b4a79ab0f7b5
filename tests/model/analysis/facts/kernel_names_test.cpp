// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/kernel_names.h"

#include "model/analysis/facts/template_argument.h"
#include "model/base/utf8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

namespace riffle {
namespace {

size_t columnsOf(std::string_view text)
{
    size_t columns = 0;
    for (size_t at = 0; at < text.size(); at += std::max<size_t>(1, utf8SequenceLength(text, at)))
        ++columns;
    return columns;
}

std::vector<std::string> shortened(const std::vector<std::string> &names)
{
    const std::vector<std::string_view> views(names.begin(), names.end());
    return shortKernelNames(views);
}

/// Expects that different names stay different, that equal names stay equal, and that none is too long.
void expectGood(const std::vector<std::string> &names)
{
    const std::vector<std::string> shorts = shortened(names);
    ASSERT_EQ(shorts.size(), names.size());
    EXPECT_EQ(std::set<std::string>(shorts.begin(), shorts.end()).size(),
              std::set<std::string>(names.begin(), names.end()).size());
    for (const std::string &each : shorts)
        EXPECT_LE(columnsOf(each), kShortNameLimit) << each;
}

TEST(TemplateArgument, ScopesAndNoiseGo)
{
    EXPECT_EQ(shortTemplateArgument("at::native::CUDAFunctor_add<c10::BFloat16>"), "CUDAFunctor_add<BFloat16>");
    EXPECT_EQ(shortTemplateArgument("at::detail::Array<char*, 3ul>"), "Array<char*, 3>");
    EXPECT_EQ(shortTemplateArgument("cub::Policy<long, 8u>::Policy800"), "Policy800");
    EXPECT_EQ(shortTemplateArgument("cub::Policy<long, 8u>::Policy800", true), "cub::Policy<long, 8>::Policy800");
    EXPECT_EQ(shortTemplateArgument("a<b<c> >"), "a<b<c>>");
    EXPECT_EQ(shortTemplateArgument("-2"), "-2");
    EXPECT_EQ(shortTemplateArgument("(cudnnKernelDataType_t)0"), "(cudnnKernelDataType_t)0");
}

TEST(TemplateArgument, LambdasAreCalledAfterTheirFunction)
{
    EXPECT_EQ(shortTemplateArgument(
                  "at::native::(anonymous namespace)::copy(at::TensorIterator&)::{lambda()#3}::operator()() "
                  "const::{lambda(float)#1}"),
              "copy#3#1(float)");
    EXPECT_EQ(
        shortTemplateArgument("at::native::gpu_kernel_impl<at::native::AddFunctor<float> >(at::TensorIteratorBase&, "
                              "at::native::AddFunctor<float> const&)::{lambda(int)#1}"),
        "gpu_kernel_impl<AddFunctor<float>>#1(int)");
    EXPECT_EQ(shortTemplateArgument("f()::{lambda({lambda(a::b)#1}, c::d const&)#2}"), "f#2(#1(b), d&)");
}

TEST(ShortKernelName, ReadsWell)
{
    const std::pair<const char *, const char *> cases[]{
        {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
         "at::detail::Array<char*, 3> >(int, "
         "at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
         "vectorized_elementwise_kernel<CUDAFunctor_add<float>>"},
        {"void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, unsigned int, 2, 2, -2, "
         "true>(int)",
         "indexSelectLargeIndex<float, long, unsigned int>"},
        {"void "
         "cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm_128x32_8x5_nn_align1::"
         "Params)",
         "cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>"},
        {"std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type "
         "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long)",
         "vllm::fused_add_rms_norm_kernel<BFloat16>"},
        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         "ncclDevKernel_AllReduce_Sum_f32_RING_LL"},
        {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_PfS4_S4_S4_diiiiiiib",
         "aiter::add_rmsnorm_quant_kernel"},
        {"volta_sgemm_128x64_nn", "volta_sgemm_128x64_nn"},
        {"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"},
        {"", ""}};
    for (const auto &[name, expected] : cases)
        EXPECT_EQ(shortKernelName(name), expected) << name;
}

TEST(ShortKernelName, LongIdentifiersKeepBothEnds)
{
    const std::string name = "Cijk_Ailk_Bljk_BBS_BH_" + std::string(300, 'x') + "_WG16_4_4";
    const std::string text = shortKernelName(name);
    EXPECT_EQ(columnsOf(text), kShortNameLimit);
    EXPECT_TRUE(text.starts_with("Cijk_Ailk_Bljk_BBS_BH_x"));
    EXPECT_TRUE(text.ends_with("_WG16_4_4"));
}

TEST(ShortKernelNames, WhatDiffersIsShown)
{
    EXPECT_EQ(shortened({"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)",
                         "void at::native::vectorized_elementwise_kernel<2, at::native::AddFunctor<float> >(int)",
                         "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float> >(int)"}),
              (std::vector<std::string>{"vectorized_elementwise_kernel<4, AddFunctor<float>>",
                                        "vectorized_elementwise_kernel<2, AddFunctor<float>>",
                                        "vectorized_elementwise_kernel<MulFunctor<float>>"}));
    // Only the namespace differs.
    EXPECT_EQ(shortened({"void cutlass::device_kernel<a::fp8::GemmKernel>(x)",
                         "void cutlass::device_kernel<a::bf16::GemmKernel>(x)"}),
              (std::vector<std::string>{"cutlass::device_kernel<a::fp8::GemmKernel>",
                                        "cutlass::device_kernel<a::bf16::GemmKernel>"}));
    EXPECT_EQ(shortened({"at::native::f<int>()", "f<int>()"}),
              (std::vector<std::string>{"at::native::f<int>", "f<int>"}));
    // Only the parameters differ, so no part of the name can be shown.
    EXPECT_EQ(shortened({"ncclKernel(long)", "ncclKernel(int)"}),
              (std::vector<std::string>{"ncclKernel #2", "ncclKernel #1"}));
    // Mangled.
    EXPECT_EQ(shortened({"_ZN5aiter3addIDF16bLi256ELb0EEEvv", "_ZN5aiter3addIDF16bLi64ELb0EEEvv"}),
              (std::vector<std::string>{"aiter::add<256>", "aiter::add<64>"}));
}

TEST(ShortKernelNames, TheDifferenceOfLongArgumentsIsShown)
{
    const std::string begin = "void k<" + std::string(200, 'a') + "::Policy<" + std::string(100, 'b') + ", ";
    const std::vector<std::string> shorts = shortened({begin + "float> >(int)", begin + "double> >(int)"});
    EXPECT_NE(shorts[0].find("float"), std::string::npos) << shorts[0];
    EXPECT_NE(shorts[1].find("double"), std::string::npos) << shorts[1];
}

TEST(ShortKernelNames, FortySixCutlassKernels)
{
    std::vector<std::string> names;
    for (const char *tile :
         {"128x128_16x4", "128x128_32x3", "128x128_32x5", "128x256_32x3", "128x64_16x6", "128x64_32x6", "256x128_16x3",
          "256x128_32x3", "256x64_16x4", "64x128_32x6", "64x64_16x10", "64x64_32x6"})
        for (const char *layout : {"nn", "nt", "tn"})
            for (const char *alignment : {"align1", "align4"}) {
                const std::string own =
                    std::string("cutlass_80_tensorop_s1688gemm_") + tile + "_" + layout + "_" + alignment;
                names.push_back("void cutlass::Kernel<" + own + ">(" + own + "::Params)");
            }
    expectGood(names);
    for (const std::string &each : shortened(names))
        EXPECT_EQ(each.find('#'), std::string::npos) << each;
}

TEST(ShortKernelNames, AwkwardRealOnes)
{
    expectGood({
        "void cub::DeviceRadixSortHistogramKernel<cub::DeviceRadixSortPolicy<long, int, int>::Policy800, false, long, "
        "int>(int*)",
        "void cub::DeviceRadixSortHistogramKernel<cub::DeviceRadixSortPolicy<long, float, int>::Policy800, false, "
        "long, int>(int*)",
        "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_"
        "warpsize2x2x1_g1_"
        "tensor16x8x8_alignc4_execute_kernel_cudnn_infer",
        "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_"
        "warpsize2x2x1_g1_"
        "tensor16x8x8_execute_kernel_cudnn_infer",
        "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_"
        "warpsize2x2x1_g1_"
        "tensor16x8x8_alignc4_execute_kernel__5x_cudnn",
        "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::AddFunctor<float> "
        ">(int)::{"
        "lambda(int)#1}>(int)",
        "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::AddFunctor<float> "
        ">(int)::{lambda(int)"
        "#1}>(int)",
        "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<at::native::AddFunctor<float> "
        ">(int)::{lambda(int)"
        "#1}>(int)",
        "_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_13tensor_"
        "layout4gemm8RowMajorE"
        "LNS1_18GemmSpecializationE7ELi256ELi64ELi64EEEvv",
        "_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_13tensor_"
        "layout4gemm8RowMajorE"
        "LNS1_18GemmSpecializationE3ELi256ELi64ELi64EEEvv",
    });
}

TEST(ShortKernelNames, SameNamesGetTheSameWhereverTheyStand)
{
    std::vector<std::string> names{"f(int)", "f(long)", "f(char)", "f(int)", "g<1>()", "g<2>()", "f(long)", "f #1"};
    const std::vector<std::string> shorts = shortened(names);
    EXPECT_EQ(shorts[0], shorts[3]);
    EXPECT_EQ(shorts[1], shorts[6]);
    expectGood(names);
    std::vector<std::string> reversed(names.rbegin(), names.rend());
    std::vector<std::string> again = shortened(reversed);
    std::reverse(again.begin(), again.end());
    EXPECT_EQ(again, shorts);
}

TEST(ShortKernelNames, RandomNamesStayApart)
{
    std::mt19937 random(7);
    const std::vector<std::string> pieces{
        "a",  "b::",   "f<", ">",     "(",    ")", ", ", "{lambda(int)#1}", "::",  "operator()", "_", "1u", "#2",
        "核", "void ", "_Z", "N3foo", "Li1E", "E", "I",  "at::native::",    "\xff"};
    for (int round = 0; round < 50; ++round) {
        std::vector<std::string> names;
        for (int count = 0; count < 60; ++count) {
            std::string name;
            for (size_t length = random() % 40; length > 0; --length)
                name += pieces[random() % pieces.size()];
            names.push_back(name);
        }
        expectGood(names);
    }
}

TEST(ShortKernelNames, HostileNamesTakeLinearTime)
{
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::string> names;
    for (const char *piece :
         {"<", "(", "a<", "a<b, ", "{lambda(", "f()::", "a::", "核", "_", "1, ", "gpu_kernel_impl<"}) {
        for (const char *begin : {"void k<", "", "_ZN1aI"}) {
            std::string name = begin;
            while (name.size() < 100'000)
                name += piece;
            names.push_back(name);
            names.push_back(name + "x");
        }
    }
    expectGood(names);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

} // namespace
} // namespace riffle
