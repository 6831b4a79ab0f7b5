// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/function_name.h"
#include "model/analysis/facts/kernel_names.h"
#include "model/analysis/facts/kernel_traits.h"
#include "model/analysis/facts/template_argument.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/require.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace riffle;
using test::require;

/// Shortens the names of kernels, one on each line: each alone, and all of them as one table.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // The text is linear in memory and time, so the input may be long.
    const test::Effort effort(size, {.bytes = 1 << 20, .bytesPerByte = 4000, .seconds = 1, .secondsPerMegabyte = 100});
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    std::vector<std::string_view> names;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        names.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    for (const std::string_view name : names) {
        require(shortKernelName(name).size() <= 4 * kShortNameLimit, "the short name is long", name);
        const FunctionName parts = functionName(name);
        require(parts.qualified.size() <= 2 * name.size() + 16, "the qualified name is longer than the name", name);
        for (const std::string_view argument : parts.templateArguments) {
            require(argument.empty() || (argument.data() >= name.data() &&
                                         argument.data() + argument.size() <= name.data() + name.size()),
                    "an argument is outside the name", name);
            require(shortTemplateArgument(argument).size() < 1000, "a short argument is long", argument);
            shortTemplateArgument(argument, true);
        }
        tensorCoresOf(name);
        computeTypeName(computeTypeOf(name));
        isCommunicationKernel(name);
        isCommunicationOperator(name);
    }
    const std::vector<std::string> shorts = shortKernelNames(names);
    require(shorts.size() == names.size(), "a name is missing", text);
    std::map<std::string_view, std::string_view> ofName, ofShort;
    for (size_t at = 0; at < names.size(); ++at) {
        require(ofName.try_emplace(names[at], shorts[at]).first->second == shorts[at], "one name has two short names",
                names[at]);
        require(ofShort.try_emplace(shorts[at], names[at]).first->second == names[at], "two names have one short name",
                names[at]);
    }
    return 0;
}
