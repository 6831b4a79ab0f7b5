// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/flops.h"

#include "model/analysis/facts/operator_arguments.h"

#include <algorithm>
#include <iterator>

namespace riffle {

namespace {

constexpr int8_t kNoArgument = -1;

/// A product of factors that detects overflow of 64 bits.
class Product {
public:
    Product &operator*=(int64_t factor)
    {
        m_overflow |= factor < 0 || __builtin_mul_overflow(m_value, factor, &m_value);
        return *this;
    }
    Product &operator*=(const Shape &shape)
    {
        // A zero anywhere makes the product zero, even if other factors are too large.
        if (std::find(shape.begin(), shape.end(), 0) != shape.end())
            m_value = 0;
        for (const int64_t dimension : shape)
            *this *= dimension;
        return *this;
    }
    std::optional<int64_t> value() const { return m_overflow ? std::nullopt : std::optional(m_value); }

private:
    int64_t m_value = 1;
    bool m_overflow = false;
};

// --- Element by element ------------------------------------------------------------------------

std::optional<int64_t> elementFlops(const OperatorArguments &arguments)
{
    const auto shape = arguments.shape(0);
    if (!shape)
        return std::nullopt;
    Product flops;
    flops *= *shape;
    return flops.value();
}

// --- Matrix products ---------------------------------------------------------------------------

/// The positions of the two factors among the inputs. The second factor is transposed if it is a layer's weight.
struct MatrixOperator {
    std::string_view name;
    size_t left, right;
    bool weight;
};
constexpr MatrixOperator kMatrixOperators[]{
    {"aten::mm", 0, 1, false},         {"aten::bmm", 0, 1, false},
    {"aten::addmm", 1, 2, false},      {"aten::addmm_", 1, 2, false},
    {"aten::baddbmm", 1, 2, false},    {"aten::baddbmm_", 1, 2, false},
    {"aten::matmul", 0, 1, false},     {"aten::linear", 0, 1, true},
    {"aten::_scaled_mm", 0, 1, false}, {"aten::_addmm_activation", 1, 2, false},
    {"aten::_int_mm", 0, 1, false},
};

/// The FLOPs of a matrix product. Leading dimensions are batches; those of the two factors are broadcast.
std::optional<int64_t> productFlops(const MatrixOperator &op, const OperatorArguments &arguments)
{
    std::optional<Shape> left = arguments.shape(op.left);
    std::optional<Shape> right = arguments.shape(op.right);
    if (!left || !right || left->empty() || right->empty())
        return std::nullopt;
    if (op.weight && right->size() == 2)
        std::swap((*right)[0], (*right)[1]);
    // A vector is a row on the left and a column on the right.
    if (left->size() == 1)
        left->insert(left->begin(), 1);
    if (right->size() == 1)
        right->push_back(1);
    const int64_t columns = right->back();
    const int64_t inner = left->back();
    if ((*right)[right->size() - 2] != inner)
        return std::nullopt;
    const int64_t rows = (*left)[left->size() - 2];
    left->resize(left->size() - 2);
    right->resize(right->size() - 2);
    Shape batches = left->size() >= right->size() ? *left : *right;
    const Shape &shorter = left->size() >= right->size() ? *right : *left;
    for (size_t at = 0; at < shorter.size(); ++at) {
        int64_t &batch = batches[batches.size() - 1 - at];
        const int64_t other = shorter[shorter.size() - 1 - at];
        if (batch != other && batch != 1 && other != 1)
            return std::nullopt;
        batch = batch == 1 ? other : batch;
    }
    Product flops;
    flops *= {2, rows, columns, inner};
    flops *= batches;
    return flops.value();
}

// --- Convolutions ------------------------------------------------------------------------------

/// The positions of the arguments of a convolution among its inputs. The weight is [C_out, C_in / groups, kernel…], or
/// [C_in, C_out / groups, kernel…] if transposed.
struct ConvolutionOperator {
    std::string_view name;
    int8_t input, weight;
    int8_t stride, padding, dilation; ///< kNoArgument if it is always 1
    int8_t transposed;                ///< kNoArgument if it is never transposed
    bool alwaysTransposed;
};
constexpr ConvolutionOperator kConvolutions[]{
    {"aten::conv1d", 0, 1, 3, 4, 5, kNoArgument, false},
    {"aten::conv2d", 0, 1, 3, 4, 5, kNoArgument, false},
    {"aten::conv3d", 0, 1, 3, 4, 5, kNoArgument, false},
    {"aten::convolution", 0, 1, 3, 4, 5, 6, false},
    {"aten::_convolution", 0, 1, 3, 4, 5, 6, false},
    {"aten::convolution_overrideable", 0, 1, 3, 4, 5, 6, false},
    {"aten::cudnn_convolution", 0, 1, 3, 2, 4, kNoArgument, false},
    {"aten::cudnn_convolution_relu", 0, 1, 3, 4, 5, kNoArgument, false},
    {"aten::cudnn_convolution_add_relu", 0, 1, 5, 6, 7, kNoArgument, false},
    {"aten::miopen_convolution", 0, 1, 4, 3, 5, kNoArgument, false},
    {"aten::mkldnn_convolution", 0, 1, 4, 3, 5, kNoArgument, false},
    {"aten::thnn_conv2d", 0, 1, 4, 5, kNoArgument, kNoArgument, false},
    {"aten::_slow_conv2d_forward", 0, 1, 4, 5, kNoArgument, kNoArgument, false},
    {"aten::slow_conv3d", 0, 1, 4, 5, kNoArgument, kNoArgument, false},
    {"aten::slow_conv3d_forward", 0, 1, 4, 5, kNoArgument, kNoArgument, false},
    {"aten::_conv_depthwise2d", 0, 1, 4, 5, 6, kNoArgument, false},
    {"aten::conv_depthwise3d", 0, 1, 4, 5, 6, kNoArgument, false},
    {"aten::conv_transpose1d", 0, 1, kNoArgument, kNoArgument, kNoArgument, kNoArgument, true},
    {"aten::conv_transpose2d", 0, 1, kNoArgument, kNoArgument, kNoArgument, kNoArgument, true},
    {"aten::conv_transpose3d", 0, 1, kNoArgument, kNoArgument, kNoArgument, kNoArgument, true},
    {"aten::cudnn_convolution_transpose", 0, 1, kNoArgument, kNoArgument, kNoArgument, kNoArgument, true},
    {"aten::miopen_convolution_transpose", 0, 1, kNoArgument, kNoArgument, kNoArgument, kNoArgument, true},
};

/// The gradients of a convolution: the positions of the output's gradient, the input, the weight, and the mask of
/// requested gradients.
struct ConvolutionGradient {
    std::string_view name;
    int8_t output, input, weight;
    int8_t mask, olderMask; ///< position of the mask, now and in older versions; without a mask, there is one gradient
    int8_t transposed;
};
constexpr ConvolutionGradient kConvolutionGradients[]{
    {"aten::convolution_backward", 0, 1, 2, 10, kNoArgument, 7},
    {"aten::convolution_backward_overrideable", 0, 1, 2, 9, kNoArgument, 6},
    {"aten::_slow_conv2d_backward", 0, 1, 2, 6, kNoArgument, kNoArgument},
    {"aten::cudnn_convolution_backward", 1, 0, 2, 10, 9, kNoArgument},
    {"aten::miopen_convolution_backward", 1, 0, 2, 9, kNoArgument, kNoArgument},
    {"aten::cudnn_convolution_backward_input", 1, kNoArgument, 2, kNoArgument, kNoArgument, kNoArgument},
    {"aten::cudnn_convolution_backward_weight", 1, 2, 0, kNoArgument, kNoArgument, kNoArgument},
};

/// 2 · images · positions · elements of the weight · `times`. `image` is [images, channels, positions…] or [channels,
/// positions…].
std::optional<int64_t> convolved(const Shape &image, const Shape &weight, Shape positions, int64_t times)
{
    if (image.size() == weight.size())
        positions.push_back(image[0]);
    Product flops;
    flops *= {2, times};
    flops *= positions;
    flops *= weight;
    return flops.value();
}

bool isImageFor(const Shape &weight, const Shape &image)
{
    return weight.size() >= 3 && (image.size() == weight.size() || image.size() + 1 == weight.size());
}

Shape positionsOf(const Shape &image, const Shape &weight)
{
    return {image.end() - static_cast<ptrdiff_t>(weight.size() - 2), image.end()};
}

std::optional<int64_t> convolutionFlops(const ConvolutionOperator &op, const OperatorArguments &arguments)
{
    const auto input = arguments.shape(static_cast<size_t>(op.input));
    const auto weight = arguments.shape(static_cast<size_t>(op.weight));
    if (!input || !weight || !isImageFor(*weight, *input))
        return std::nullopt;
    Shape positions = positionsOf(*input, *weight);
    bool transposed = op.alwaysTransposed;
    if (op.transposed != kNoArgument) {
        const auto said = arguments.flag(static_cast<size_t>(op.transposed));
        if (!said)
            return std::nullopt;
        transposed = *said;
    }
    if (transposed) // every position of the input is multiplied by the whole weight
        return convolved(*input, *weight, positions, 1);

    // Older versions of aten::cudnn_convolution have a bias argument before padding, stride and dilation.
    const size_t shift = op.name == "aten::cudnn_convolution" && !arguments.integers(2) ? 1 : 0;
    const auto number = [&](int8_t place, size_t dimension, int64_t least) -> std::optional<int64_t> {
        if (place == kNoArgument)
            return 1;
        const auto list = arguments.integers(static_cast<size_t>(place) + shift);
        if (!list || list->empty())
            return std::nullopt;
        const int64_t value = list->size() == 1 ? list->front() : dimension < list->size() ? (*list)[dimension] : -1;
        return value >= least && value < INT32_MAX ? std::optional(value) : std::nullopt;
    };
    for (size_t dimension = 0; dimension < positions.size(); ++dimension) {
        const auto stride = number(op.stride, dimension, 1);
        const auto padding = number(op.padding, dimension, 0);
        const auto dilation = number(op.dilation, dimension, 1);
        const int64_t kernel = (*weight)[dimension + 2];
        if (!stride || !padding || !dilation || positions[dimension] >= INT32_MAX || kernel < 1 || kernel >= INT32_MAX)
            return std::nullopt;
        Product reach;
        reach *= {*dilation, kernel - 1};
        const int64_t room = positions[dimension] + 2 * *padding - reach.value().value_or(INT64_MAX) - 1;
        if (room < 0)
            return std::nullopt;
        positions[dimension] = room / *stride + 1;
    }
    return convolved(*input, *weight, positions, 1);
}

std::optional<int64_t> convolutionGradientFlops(const ConvolutionGradient &op, const OperatorArguments &arguments)
{
    const auto output = arguments.shape(static_cast<size_t>(op.output));
    const auto weightPlace = static_cast<size_t>(op.weight);
    // If the result is the weight's gradient, the weight's shape is given as a list of numbers.
    const auto numbers = arguments.integers(weightPlace);
    const auto weight = numbers ? numbers : arguments.shape(weightPlace);
    if (!output || !weight || !isImageFor(*weight, *output))
        return std::nullopt;
    int64_t gradients = 1;
    if (op.mask != kNoArgument) {
        auto mask = arguments.flags(static_cast<size_t>(op.mask));
        if (!mask && op.olderMask != kNoArgument)
            mask = arguments.flags(static_cast<size_t>(op.olderMask));
        if (!mask || mask->size() < 2)
            return std::nullopt;
        gradients = ((*mask)[0] ? 1 : 0) + ((*mask)[1] ? 1 : 0); // the bias's gradient is only a sum and does not count
    }
    bool transposed = false;
    if (op.transposed != kNoArgument) {
        const auto said = arguments.flag(static_cast<size_t>(op.transposed));
        if (!said)
            return std::nullopt;
        transposed = *said;
    }
    const auto image = transposed ? arguments.shape(static_cast<size_t>(op.input)) : output;
    if (!image || !isImageFor(*weight, *image))
        return std::nullopt;
    return convolved(*image, *weight, positionsOf(*image, *weight), gradients);
}

// --- Attention ---------------------------------------------------------------------------------

enum class Layout : uint8_t { HeadsFirst, SequenceFirst }; ///< [b, h, s, d] or [b, s, h, d]
struct AttentionOperator {
    std::string_view name;
    size_t query; ///< position of the query; the key and the value follow
    Layout layout;
    int8_t causal;     ///< position of the causal flag, or of the kind of mask
    bool causalIsKind; ///< true if `causal` is a kind of mask: 0 is no mask, 1 and 2 are causal
    int8_t packed;     ///< position of the bounds of packed sequences (of unknown length); kNoArgument if never packed
    bool backward;
};
constexpr AttentionOperator kAttention[]{
    {"aten::scaled_dot_product_attention", 0, Layout::HeadsFirst, 5, false, kNoArgument, false},
    {"aten::_scaled_dot_product_flash_attention", 0, Layout::HeadsFirst, 4, false, kNoArgument, false},
    {"aten::_scaled_dot_product_flash_attention_backward", 1, Layout::HeadsFirst, 11, false, 6, true},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", 0, Layout::HeadsFirst, 4, false, kNoArgument, false},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", 1, Layout::HeadsFirst, 7, false, kNoArgument, true},
    {"aten::_scaled_dot_product_efficient_attention", 0, Layout::HeadsFirst, 6, false, kNoArgument, false},
    {"aten::_scaled_dot_product_efficient_attention_backward", 1, Layout::HeadsFirst, 11, false, kNoArgument, true},
    {"aten::_scaled_dot_product_cudnn_attention", 0, Layout::HeadsFirst, 6, false, kNoArgument, false},
    {"aten::_scaled_dot_product_cudnn_attention_backward", 1, Layout::HeadsFirst, 14, false, 9, true},
    {"aten::_scaled_dot_product_fused_attention_overrideable", 0, Layout::HeadsFirst, 5, false, kNoArgument, false},
    {"aten::_flash_attention_forward", 0, Layout::SequenceFirst, 8, false, 3, false},
    {"aten::_flash_attention_backward", 1, Layout::SequenceFirst, 11, false, 6, true},
    {"aten::_efficient_attention_forward", 0, Layout::SequenceFirst, 9, true, 4, false},
    {"aten::_efficient_attention_backward", 1, Layout::SequenceFirst, 14, true, 6, true},
    {"aten::_cudnn_attention_forward", 0, Layout::HeadsFirst, 10, false, 4, false},
    {"flash_attn::_flash_attn_forward", 0, Layout::SequenceFirst, 5, false, kNoArgument, false},
    {"flash_attn::_flash_attn_backward", 1, Layout::SequenceFirst, 11, false, kNoArgument, true},
};

std::optional<int64_t> attentionFlops(const AttentionOperator &op, const OperatorArguments &arguments)
{
    const auto query = arguments.shape(op.query);
    const auto key = arguments.shape(op.query + 1);
    const auto value = arguments.shape(op.query + 2);
    if (!query || !key || !value)
        return std::nullopt;
    const size_t least = op.layout == Layout::HeadsFirst ? 2 : 4;
    if (query->size() < least || key->size() < least || value->size() < least)
        return std::nullopt;
    if (op.packed != kNoArgument) {
        const auto bounds = arguments.shape(static_cast<size_t>(op.packed));
        if (bounds && !bounds->empty())
            return std::nullopt;
    }
    const size_t sequence = op.layout == Layout::HeadsFirst ? 2 : 3; // the dimension, counted from the end
    Product flops;
    flops *= 2;
    for (size_t at = 0; at < query->size(); ++at) // batches, heads and rows of the query
        flops *= at + 1 < query->size() ? (*query)[at] : 1;
    flops *= (*key)[key->size() - sequence];
    if (query->back() > INT32_MAX || value->back() > INT32_MAX)
        return std::nullopt;
    flops *= query->back() + value->back();
    if (op.backward)
        flops *= 5;
    auto result = flops.value();
    const auto place = static_cast<size_t>(op.causal);
    const bool causal =
        op.causalIsKind ? arguments.integer(place).value_or(0) > 0 : arguments.flag(place).value_or(false);
    if (result)
        *result /= (op.backward ? 2 : 1) * (causal ? 2 : 1);
    return result;
}

// -----------------------------------------------------------------------------------------------

template <typename Operators>
auto find(const Operators &operators, std::string_view name)
{
    const auto at = std::find_if(std::begin(operators), std::end(operators),
                                 [name](const auto &each) { return each.name == name; });
    return at == std::end(operators) ? nullptr : &*at;
}

bool isElementWise(std::string_view name) { return name == "aten::add" || name == "aten::mul"; }

} // namespace

std::optional<FlopsKind> flopsKindOf(std::string_view operatorName)
{
    if (isElementWise(operatorName))
        return FlopsKind::ElementWise;
    if (find(kMatrixOperators, operatorName))
        return FlopsKind::MatrixProduct;
    if (find(kConvolutions, operatorName) || find(kConvolutionGradients, operatorName))
        return FlopsKind::Convolution;
    return find(kAttention, operatorName) ? std::optional(FlopsKind::Attention) : std::nullopt;
}

bool isCountedByTorch(std::string_view operatorName)
{
    static constexpr std::string_view kCounted[]{"aten::conv2d",  "aten::mm",  "aten::addmm", "aten::bmm",
                                                 "aten::baddbmm", "aten::mul", "aten::add"};
    return std::find(std::begin(kCounted), std::end(kCounted), operatorName) != std::end(kCounted);
}

std::optional<int64_t> operatorFlops(std::string_view operatorName, std::string_view inputDims,
                                     std::string_view concreteInputs)
{
    if (inputDims.empty() || !hasFlopsFormula(operatorName))
        return std::nullopt;
    const OperatorArguments arguments(inputDims, concreteInputs);
    if (isElementWise(operatorName))
        return elementFlops(arguments);
    if (const auto *op = find(kMatrixOperators, operatorName))
        return productFlops(*op, arguments);
    if (const auto *op = find(kConvolutions, operatorName))
        return convolutionFlops(*op, arguments);
    if (const auto *op = find(kConvolutionGradients, operatorName))
        return convolutionGradientFlops(*op, arguments);
    if (const auto *op = find(kAttention, operatorName))
        return attentionFlops(*op, arguments);
    return std::nullopt;
}

} // namespace riffle
