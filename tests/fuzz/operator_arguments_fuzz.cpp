// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/flops.h"
#include "model/analysis/facts/operator_arguments.h"
#include "tests/fuzz/effort.h"

#include <cstdlib>
#include <string_view>

using namespace riffle;

/// Reads the arguments of an operator: the text before a line break as its shapes, the rest as its other inputs.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const test::Effort effort(size, {.bytes = 1 << 20, .bytesPerByte = 1000, .seconds = 1, .secondsPerMegabyte = 100});
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const size_t line = std::min(text.find('\n'), text.size());
    const std::string_view dims = text.substr(0, line), concrete = text.substr(std::min(line + 1, size));
    const OperatorArguments arguments(dims, concrete);
    for (const size_t place : {size_t(0), size_t(1), size_t(2), size_t(3), size_t(8), SIZE_MAX}) {
        if (const auto shape = arguments.shape(place))
            for (const int64_t extent : *shape)
                if (extent < 0)
                    std::abort();
        const auto numbers = arguments.integers(place);
        if (numbers && numbers->size() > size)
            std::abort();
        arguments.flags(place);
        arguments.integer(place);
        arguments.flag(place);
    }
    for (const std::string_view name :
         {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::add", "aten::mul", "aten::linear",
          "aten::convolution", "aten::convolution_backward", "aten::_scaled_dot_product_flash_attention",
          "aten::_scaled_dot_product_efficient_attention_backward", "aten::_flash_attention_forward"})
        if (const auto flops = operatorFlops(name, dims, concrete); flops && *flops < 0)
            std::abort();
    return 0;
}
