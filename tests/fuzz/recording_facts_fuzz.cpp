// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/device_properties.h"
#include "model/analysis/summary/checks.h"
#include "tests/fuzz/effort.h"

#include <string>
#include <string_view>

using namespace riffle;

/// Reads the facts about a recording: all of the input as the value of each key that has a structure, and each line as
/// the value of a key before a tab. Also parses each line as a check.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const test::Effort effort(size, {.bytes = 4 << 20, .bytesPerByte = 1000, .seconds = 1, .secondsPerMegabyte = 100});
    const std::string text(reinterpret_cast<const char *>(data), size);
    const auto read = [](const TraceInfo &info) {
        devicesOf(info);
        distributedOf(info);
        recordedOptionsOf(info);
    };
    TraceInfo info;
    for (const char *key : {"deviceProperties", "distributedInfo", "record_shapes", "with_stack"})
        info.metadata.emplace_back(key, text);
    read(info);
    info.metadata = {{"computeProperties", text}};
    read(info);
    info.metadata.clear();
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        const size_t tab = std::min(line.find('\t'), line.size());
        info.metadata.emplace_back(line.substr(0, tab), line.substr(std::min(tab + 1, line.size())));
        (void)parseCheck(line);
        at = end + 1;
    }
    read(info);
    return 0;
}
