// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/function_name.h"

#include <gtest/gtest.h>

#include <chrono>

namespace riffle {
namespace {

using Arguments = std::vector<std::string_view>;

TEST(FunctionName, DropsWhatIsNotTheName)
{
    EXPECT_EQ(
        functionName("void (anonymous namespace)::softmax_warp_forward<float, float, float, 9, false, false>(float*, "
                     "float const*, int, int, int)")
            .qualified,
        "softmax_warp_forward");
    EXPECT_EQ(functionName("std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type "
                           "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long)")
                  .qualified,
              "vllm::fused_add_rms_norm_kernel");
    EXPECT_EQ(functionName("at::native::(anonymous namespace)::f(int) [clone .kd]").qualified, "at::native::f");
    EXPECT_EQ(functionName("unsigned long f<int>(int)").qualified, "f");
    EXPECT_EQ(functionName("void g<&h<1, (2 > 1)>, x->y>::run<a>(b)").qualified, "g::run");
    EXPECT_EQ(functionName("foo(int)::{lambda(float)#1}::operator()(float) const").qualified,
              "foo::lambda::operator()");
    EXPECT_EQ(functionName("ns::operator<<(int)").qualified, "ns::operator<<");
}

TEST(FunctionName, WhatIsNoFunctionStays)
{
    for (const char *name : {"Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "volta_sgemm_128x64_nn",
                             "Context Sync", "", " ", "aten::add", "核函数", "(", "<"})
        EXPECT_EQ(functionName(name).qualified, name) << name;
}

TEST(FunctionName, ItsOwnTemplateArguments)
{
    EXPECT_EQ(functionName("void a<1>::b<c<2, 3>, d(int, int), (e > 4)>(f<5>)").templateArguments,
              (Arguments{"c<2, 3>", "d(int, int)", "(e > 4)"}));
    EXPECT_EQ(functionName("void a<1>::b(c<2>)").templateArguments, Arguments{});
    EXPECT_EQ(functionName("a<1, 2").templateArguments, (Arguments{"1", "2"}));
}

TEST(FunctionName, MangledNames)
{
    const FunctionName rmsnorm =
        functionName("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0EEEvPT0_PT_PfS4_di");
    EXPECT_EQ(rmsnorm.qualified, "aiter::add_rmsnorm_quant_kernel");
    ASSERT_GE(rmsnorm.templateArguments.size(), 5u);
    EXPECT_EQ(rmsnorm.templateArguments[0], "DF16b");
    EXPECT_EQ(rmsnorm.templateArguments[2], "256");
    EXPECT_EQ(rmsnorm.templateArguments[3], "16");
    EXPECT_EQ(rmsnorm.templateArguments[4], "0");
    EXPECT_EQ(
        functionName("_ZN2at6native54_GLOBAL__N__d8ceb000_21_DistributionNormal_cu_17e44f7d43distribution_elementwise_"
                     "grid_stride_kernelIfLi4EE")
            .qualified,
        "at::native::distribution_elementwise_grid_stride_kernel");
    EXPECT_EQ(functionName("_Z3fooIiEvT_").qualified, "foo");
    EXPECT_EQ(functionName("_Z3foov").qualified, "foo");
    EXPECT_EQ(functionName("_ZL3bari").qualified, "bar");
    EXPECT_EQ(functionName("_Z99999999999999999999x").qualified, "_Z99999999999999999999x");
    EXPECT_EQ(functionName("_Z9short").qualified, "_Z9short");
    EXPECT_EQ(functionName("_Z").qualified, "_Z");
}

TEST(FunctionName, HostileNamesTakeLinearTime)
{
    const auto start = std::chrono::steady_clock::now();
    for (const char *piece :
         {"<", "(", "{", ">", ")", "<(", "a<b(", "a::", "operator", "(anonymous namespace)::", "f(x)::", ","}) {
        std::string name;
        while (name.size() < 100'000)
            name += piece;
        EXPECT_LE(functionName(name).qualified.size(), 2 * name.size()) << piece;
    }
    std::string mangled = "_ZN1aI";
    while (mangled.size() < 100'000)
        mangled += "NS_1bILi1EL";
    EXPECT_EQ(functionName(mangled).qualified, "a");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

} // namespace
} // namespace riffle
