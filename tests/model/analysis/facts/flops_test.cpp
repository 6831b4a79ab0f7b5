// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/flops.h"
#include "tests/support/source_path.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace riffle {
namespace {

struct Call {
    std::string name, dims, concrete;
    int64_t torch = 0;
};

/// The counts of PyTorch, written by make_torch_flops.py.
std::vector<Call> callsOfTorch()
{
    std::ifstream file(test::sourcePath("tests/model/analysis/facts/torch_flops.tsv"));
    std::vector<Call> calls;
    for (std::string line; std::getline(file, line);) {
        std::istringstream cells(line);
        Call call;
        std::string flops;
        std::getline(cells, call.name, '\t');
        std::getline(cells, flops, '\t');
        std::getline(cells, call.dims, '\t');
        std::getline(cells, call.concrete, '\t');
        call.torch = std::stoll(flops);
        calls.push_back(call);
    }
    return calls;
}

TEST(Flops, AgreeWithPyTorchCallByCall)
{
    std::map<std::string, int> compared;
    for (const Call &call : callsOfTorch()) {
        if (!isCountedByTorch(call.name)) {
            EXPECT_EQ(call.torch, 0) << call.name; // the list is PyTorch's
            continue;
        }
        const auto flops = operatorFlops(call.name, call.dims, call.concrete);
        // PyTorch also says 0 if it gives up: for a padding that is a word, or an image that is not a batch.
        if (call.torch > 0 || !call.name.starts_with("aten::conv")) {
            EXPECT_EQ(flops, call.torch) << call.name << " " << call.dims << " " << call.concrete;
        }
        ++compared[call.name];
    }
    for (const char *name :
         {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::add", "aten::mul", "aten::conv2d"})
        EXPECT_GT(compared[name], 0) << name;
}

/// The same convolution is recorded at three or four depths, each with its own order of arguments.
TEST(Flops, TheLayersOfAConvolutionAgree)
{
    std::map<std::string, std::map<int64_t, int>> found; // per shapes of image and weight
    for (const Call &call : callsOfTorch()) {
        for (const char *name : {"aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::convolution",
                                 "aten::_convolution", "aten::mkldnn_convolution", "aten::thnn_conv2d",
                                 "aten::_slow_conv2d_forward", "aten::slow_conv3d_forward", "aten::conv_transpose2d"}) {
            if (call.name != name)
                continue;
            const size_t second = call.dims.find(']', call.dims.find(']') + 1);
            if (const auto flops = operatorFlops(call.name, call.dims, call.concrete))
                ++found[call.dims.substr(0, second)][*flops];
        }
    }
    int several = 0;
    for (const auto &[shapes, values] : found) {
        if (shapes == "[[2,4,9,9],[8,4,3,3") // recorded with two paddings
            continue;
        EXPECT_EQ(values.size(), 1u) << shapes;
        several += values.begin()->second >= 2 ? 1 : 0;
    }
    EXPECT_GE(several, 6);
}

TEST(Flops, MatrixProductsByHand)
{
    EXPECT_EQ(operatorFlops("aten::mm", "[[2, 3], [3, 4]]", ""), 2 * 2 * 3 * 4);
    EXPECT_EQ(operatorFlops("aten::addmm", "[[4],[2,3],[3,4],[],[]]", ""), 48);
    EXPECT_EQ(operatorFlops("aten::linear", "[[7,2,3],[4,3],[4]]", ""), 7 * 48);
    EXPECT_EQ(operatorFlops("aten::linear", "[[3],[4,3],[4]]", ""), 2 * 3 * 4);
    EXPECT_EQ(operatorFlops("aten::linear", "[[5,3],[3]]", ""), 2 * 5 * 3); // a weight that is a vector
    EXPECT_EQ(operatorFlops("aten::bmm", "[[5,2,3],[5,3,4]]", ""), 5 * 48);
    EXPECT_EQ(operatorFlops("aten::baddbmm", "[[2,4],[5,2,3],[5,3,4],[],[]]", ""), 5 * 48);
    EXPECT_EQ(operatorFlops("aten::matmul", "[[6,1,2,3],[5,3,4]]", ""), 6 * 5 * 48);
    EXPECT_EQ(operatorFlops("aten::matmul", "[[3],[3]]", ""), 6);
    EXPECT_EQ(operatorFlops("aten::matmul", "[[5,2,3],[3]]", ""), 5 * 2 * 2 * 3);
    EXPECT_EQ(operatorFlops("aten::_scaled_mm", "[[2,3],[3,4],[],[],[],[],[],[]]", ""), 48);
    EXPECT_EQ(operatorFlops("aten::mm", "[[0,3],[3,4]]", ""), 0);
    EXPECT_EQ(operatorFlops("aten::mm", "[[2000000,2000000],[2000000,1000]]", ""), 8'000'000'000'000'000);
}

TEST(Flops, ElementWiseByHand)
{
    EXPECT_EQ(operatorFlops("aten::add", "[[3,4],[4],[]]", ""), 12);
    EXPECT_EQ(operatorFlops("aten::mul", "[[],[3,4]]", ""), 1); // for the first operand, as in PyTorch
    EXPECT_EQ(operatorFlops("aten::mul", "[[7,0],[]]", ""), 0);
}

TEST(Flops, ConvolutionsByHand)
{
    // 3×3 over 15×14, stride 2, padding 1: 8×7 positions.
    constexpr int64_t kPlain = 2 * (2 * 8 * 7) * (8 * 3 * 3 * 3);
    const char *dims = "[[2,3,15,14],[8,3,3,3],[8],[],[],[],[]]";
    EXPECT_EQ(operatorFlops("aten::conv2d", dims, R"(["","","","[2, 2]","[1, 1]","[1, 1]","1"])"), kPlain);
    EXPECT_EQ(operatorFlops("aten::conv2d", dims, R"(["","","","[2]","[1]","[1]","1"])"), kPlain);
    EXPECT_EQ(
        operatorFlops("aten::conv2d", "[[3,15,14],[8,3,3,3],[8]]", R"(["","","","[2, 2]","[1, 1]","[1, 1]","1"])"),
        kPlain / 2);
    EXPECT_EQ(operatorFlops("aten::mkldnn_convolution", dims, R"(["","","","[1, 1]","[2, 2]","[1, 1]","1"])"), kPlain);
    EXPECT_EQ(operatorFlops("aten::cudnn_convolution", "[[2,3,15,14],[8,3,3,3]]",
                            R"(["","","[1, 1]","[2, 2]","[1, 1]","1","False","False","True"])"),
              kPlain);
    EXPECT_EQ(
        operatorFlops("aten::cudnn_convolution", dims, R"(["","","","[1, 1]","[2, 2]","[1, 1]","1","False","False"])"),
        kPlain);
    // groups: the weight has C_in / groups channels.
    EXPECT_EQ(
        operatorFlops("aten::conv2d", "[[2,6,9,9],[6,1,3,3],[6]]", R"(["","","","[1, 1]","[0, 0]","[1, 1]","6"])"),
        2 * (2 * 7 * 7) * (6 * 9));
    // dilation: a kernel of 3 covers 5.
    EXPECT_EQ(operatorFlops("aten::conv1d", "[[1,4,17],[6,4,3],[6]]", R"(["","","","[1]","[0]","[2]","1"])"),
              2 * 13 * 6 * 4 * 3);
    EXPECT_EQ(operatorFlops("aten::conv3d", "[[1,2,5,6,7],[4,2,3,3,3],[4]]",
                            R"(["","","","[1, 1, 1]","[1, 1, 1]","[1, 1, 1]","1"])"),
              2 * (5 * 6 * 7) * (4 * 2 * 27));
    // transposed: each position of the input meets the whole weight.
    EXPECT_EQ(operatorFlops("aten::conv_transpose2d", "[[2,4,7,7],[4,6,3,3],[6]]", ""), 2 * (2 * 7 * 7) * (4 * 6 * 9));
    EXPECT_EQ(operatorFlops("aten::convolution", "[[2,4,7,7],[4,6,3,3],[6]]",
                            R"(["","","","[2, 2]","[1, 1]","[1, 1]","True","[1, 1]","1"])"),
              2 * (2 * 7 * 7) * (4 * 6 * 9));
    // gradients
    const char *gradient = "[[2,8,8,7],[2,3,15,14],[8,3,3,3],[],[],[],[],[],[],[],[]]";
    const auto asked = [](const char *mask, const char *transposed) {
        return std::string(R"(["","","","[8]","[2, 2]","[1, 1]","[1, 1]",")") + transposed + R"(","[0, 0]","1",")" +
               mask + R"("])";
    };
    EXPECT_EQ(operatorFlops("aten::convolution_backward", gradient, asked("[True, True, True]", "False")), 2 * kPlain);
    EXPECT_EQ(operatorFlops("aten::convolution_backward", gradient, asked("[False, True, True]", "False")), kPlain);
    EXPECT_EQ(operatorFlops("aten::convolution_backward", gradient, asked("[False, False, True]", "False")), 0);
    EXPECT_EQ(operatorFlops("aten::convolution_backward", "[[2,6,14,14],[2,4,7,7],[4,6,3,3]]",
                            asked("[True, True, False]", "True")),
              2 * 2 * (2 * 7 * 7) * (4 * 6 * 9));
    EXPECT_EQ(operatorFlops("aten::cudnn_convolution_backward_input", "[[],[2,8,8,7],[8,3,3,3]]",
                            R"(["[2, 3, 15, 14]","",""])"),
              kPlain);
    EXPECT_EQ(operatorFlops("aten::cudnn_convolution_backward_weight", "[[],[2,8,8,7],[2,3,15,14]]",
                            R"(["[8, 3, 3, 3]","",""])"),
              kPlain);
}

TEST(Flops, ConvolutionsThatDoNotSayEnough)
{
    const char *dims = "[[2,3,15,14],[8,3,3,3],[8],[],[],[],[]]";
    for (const char *concrete :
         {"", "[]", R"(["","","","[2, 2]","","[1, 1]","1"])", R"(["","","","[0, 0]","[1, 1]","[1, 1]","1"])",
          R"(["","","","[-1, 1]","[1, 1]","[1, 1]","1"])", R"(["","","","[1, 1]","[1, 1]","[9, 9]","1"])",
          R"(["","","","[1, x]","[1, 1]","[1, 1]","1"])",
          R"(["","","","[1, 1]","[1, 1]","[9223372036854775807]","1"])"})
        EXPECT_FALSE(operatorFlops("aten::conv2d", dims, concrete)) << concrete;
    EXPECT_FALSE(operatorFlops("aten::convolution", dims, R"(["","","","[1, 1]","[1, 1]","[1, 1]","","[0, 0]","1"])"));
    EXPECT_FALSE(operatorFlops("aten::convolution_backward", "[[2,8,8,7],[2,3,15,14],[8,3,3,3]]", ""));
    EXPECT_FALSE(operatorFlops("aten::conv2d", "[[2,3],[8,3,3,3]]", R"(["","","","[1, 1]","[1, 1]","[1, 1]","1"])"));
}

TEST(Flops, AttentionByHand)
{
    const char *shapes = "[[2,4,16,32],[2,4,24,32],[2,4,24,32],[],[],[],[],[]]";
    constexpr int64_t kForward = int64_t(4) * 2 * 4 * 16 * 24 * 32;
    EXPECT_EQ(operatorFlops("aten::scaled_dot_product_attention", shapes, R"(["","","","","0.","False","","False"])"),
              kForward);
    EXPECT_EQ(operatorFlops("aten::scaled_dot_product_attention", shapes, R"(["","","","","0.","True","","False"])"),
              kForward / 2);
    EXPECT_EQ(operatorFlops("aten::scaled_dot_product_attention", shapes, ""),
              kForward); // it is not known whether it is causal
    // The values may have another width, and heads of keys and values may be shared.
    EXPECT_EQ(operatorFlops("aten::scaled_dot_product_attention", "[[2,4,16,32],[2,2,24,32],[2,2,24,16]]", ""),
              2 * 2 * 4 * 16 * 24 * (32 + 16));
    // Sequences come before heads.
    EXPECT_EQ(operatorFlops("aten::_flash_attention_forward",
                            "[[2,16,4,32],[2,24,4,32],[2,24,4,32],[],[],[],[],[],[],[]]",
                            R"(["","","","","","16","24","0.","True","False"])"),
              kForward / 2);
    EXPECT_EQ(operatorFlops("flash_attn::_flash_attn_forward", "[[2,16,4,32],[2,24,2,32],[2,24,2,32]]",
                            R"(["","","","0.","0.1","True"])"),
              kForward / 2);
    EXPECT_EQ(operatorFlops("aten::_efficient_attention_forward", "[[2,16,4,32],[2,24,4,32],[2,24,4,32],[],[],[]]",
                            R"(["","","","","","","16","24","0.","1","True"])"),
              kForward / 2);
    EXPECT_EQ(operatorFlops("aten::_efficient_attention_forward", "[[2,16,4,32],[2,24,4,32],[2,24,4,32],[],[],[]]",
                            R"(["","","","","","","16","24","0.","0","True"])"),
              kForward);
    // Backward takes 2.5 times as much.
    EXPECT_EQ(operatorFlops("aten::_scaled_dot_product_flash_attention_backward",
                            "[[2,4,16,32],[2,4,16,32],[2,4,24,32],[2,4,24,32],[2,4,16,32],[2,4,16],[],[],[],[],[],[]]",
                            R"(["","","","","","","","","16","24","0.","False"])"),
              kForward * 5 / 2);
    EXPECT_EQ(operatorFlops("flash_attn::_flash_attn_backward", "[[2,16,4,32],[2,16,4,32],[2,24,4,32],[2,24,4,32]]",
                            R"(["","","","","","","","","","0.","0.1","True"])"),
              kForward * 5 / 4);
    // Packed sequences: their lengths are not recorded.
    EXPECT_FALSE(operatorFlops("aten::_flash_attention_forward", "[[32,4,32],[48,4,32],[48,4,32],[3],[3]]", ""));
    EXPECT_FALSE(operatorFlops("aten::_flash_attention_forward", "[[2,16,4,32],[2,24,4,32],[2,24,4,32],[3],[3]]", ""));
}

TEST(Flops, OfPyTorchsOwnAttention)
{
    int seen = 0;
    for (const Call &call : callsOfTorch()) {
        if (call.name != "aten::_scaled_dot_product_flash_attention_for_cpu_backward")
            continue;
        const bool causal = call.dims.starts_with("[[2,4,16,32],[2,4,16,32],[2,4,16,32]");
        EXPECT_EQ(operatorFlops(call.name, call.dims, call.concrete),
                  causal ? int64_t(4) * 2 * 4 * 16 * 16 * 32 * 5 / 4 : int64_t(4) * 2 * 4 * 16 * 24 * 32 * 5 / 2)
            << call.dims;
        ++seen;
    }
    EXPECT_EQ(seen, 2);
}

TEST(Flops, NoneWithoutSensibleShapes)
{
    for (const char *dims :
         {"", "[]", "[[2,3]]", "[[2,3],[]]", "[[2,-3],[-3,4]]", "[[2,3],[5,4]]", "[[2,3],[[3,4],[3,4]]]", "null", "{}",
          "\"2,3;3,4\"", "2,3;3,4", "[[2,3],[3,4]", "[[2.5,3],[3,4]]", "[[\"2\",3],[3,4]]", "[7,[3,4]]",
          "[[4000000000,4000000000],[4000000000,4000000000]]", "[[99999999999999999999,3],[3,4]]"})
        EXPECT_FALSE(operatorFlops("aten::mm", dims, "")) << dims;
    EXPECT_FALSE(operatorFlops("aten::add", "[[[3,4],[3,4]],[]]", "")); // a list of tensors
    EXPECT_FALSE(operatorFlops("aten::relu", "[[2,3]]", ""));
    EXPECT_FALSE(operatorFlops("aten::scaled_dot_product_attention", "[[2,4,16,32],[2,4,24,32]]", ""));
    EXPECT_FALSE(operatorFlops("aten::scaled_dot_product_attention", "[[32],[32],[32]]", ""));
}

TEST(Flops, WhichOperatorsHaveAFormula)
{
    EXPECT_EQ(flopsKindOf("aten::mul"), FlopsKind::ElementWise);
    EXPECT_EQ(flopsKindOf("aten::linear"), FlopsKind::MatrixProduct);
    EXPECT_EQ(flopsKindOf("aten::convolution_backward"), FlopsKind::Convolution);
    EXPECT_EQ(flopsKindOf("aten::_efficient_attention_backward"), FlopsKind::Attention);
    for (const char *name :
         {"", "mm", "aten::relu", "aten::add_", "aten::Mm", "flash_attn::_flash_attn_varlen_forward"})
        EXPECT_FALSE(hasFlopsFormula(name)) << name;
    EXPECT_FALSE(isCountedByTorch("aten::linear"));
    EXPECT_TRUE(isCountedInside(FlopsKind::MatrixProduct, FlopsKind::MatrixProduct));
    EXPECT_TRUE(isCountedInside(FlopsKind::Attention, FlopsKind::MatrixProduct));
    EXPECT_TRUE(isCountedInside(FlopsKind::ElementWise, FlopsKind::ElementWise));
    EXPECT_FALSE(isCountedInside(FlopsKind::Convolution, FlopsKind::ElementWise));
}

} // namespace
} // namespace riffle
