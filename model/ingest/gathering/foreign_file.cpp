// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/foreign_file.h"

#include "model/ingest/byte_source.h"
#include "model/ingest/importers.h"
#include "model/ingest/sniffed_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace riffle {

namespace {

using namespace std::string_view_literals;

constexpr size_t kTarHeader = 512, kTarSum = 148, kTarSumBytes = 8;

/// True if the text starts with the header of a tar archive: a number in it is the sum of its bytes, those of the
/// number itself counted as blanks.
bool startsLikeTar(std::string_view head)
{
    if (head.size() < kTarHeader || head.front() == '\0')
        return false;
    int64_t sum = 0;
    for (size_t at = 0; at < kTarHeader; ++at)
        sum += at >= kTarSum && at < kTarSum + kTarSumBytes ? ' ' : static_cast<unsigned char>(head[at]);
    const std::string written(head.substr(kTarSum, kTarSumBytes));
    return std::strtol(written.c_str(), nullptr, 8) == sum;
}

/// True if the head of a JSON text names something that traces have and other JSON does not.
bool namesTrace(std::string_view head)
{
    static constexpr std::array kWords = {"\"traceEvents\""sv,     "\"ph\""sv,          "\"deviceProperties\""sv,
                                          "\"displayTimeUnit\""sv, "\"stackFrames\""sv, "\"distributedInfo\""sv,
                                          "\"schemaVersion\""sv};
    return std::ranges::any_of(kWords, [&](std::string_view word) { return head.find(word) != head.npos; });
}

} // namespace

bool isFileArchive(const SniffedFile &file)
{
    const std::string_view start = file.bytes().substr(0, 4);
    return start == "PK\x03\x04"sv || start == "PK\x05\x06"sv || startsLikeTar(file.head());
}

std::string whyForeign(const SniffedFile &file)
{
    const auto formats = importers();
    const auto known =
        std::find_if(formats.begin(), formats.end() - 1, [&](const Importer &one) { return one.recognises(file); });
    if (known != formats.end() - 1)
        return {};
    if (!file.isThere())
        return "It cannot be read.";
    if (file.bytes().empty())
        return "It is empty.";
    if (isFileArchive(file))
        return "It is an archive inside a folder or an archive. Open it on its own.";
    std::string_view head = file.head();
    if (const char *sentence = foreignSentence(head))
        return sentence;
    if (head.starts_with("\xEF\xBB\xBF"))
        head.remove_prefix(3);
    head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
    if (!head.starts_with('{') && !head.starts_with('['))
        return "It is no trace, memory snapshot, memory timeline or log.";
    const std::string name = std::filesystem::path(file.path()).filename().string();
    if (!namesTrace(head) && name.find("trace") == name.npos)
        return "It is JSON, but not that of a trace.";
    return {};
}

} // namespace riffle
