// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/foreign_file.h"

#include "model/ingest/archive_text.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/importers.h"
#include "model/ingest/sniffed_file.h"
#include "model/trace/run/place_in_name.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace riffle {

namespace {

using namespace std::string_view_literals;

constexpr size_t kFarthest = 1 << 20; ///< bytes of a JSON text in which its events begin
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

/// True if the events of a trace begin behind the head of a JSON text, as they do when a tool wrote down its settings
/// before them.
bool hasFarEvents(const SniffedFile &file)
{
    if (file.head().size() < SniffedFile::kHead)
        return false;
    const std::string inflated = file.isPacked() ? headOfArchive(file.path(), kFarthest) : std::string();
    const std::string_view text = file.isPacked() ? inflated : file.bytes().substr(0, kFarthest);
    return text.find("\"traceEvents\"") != text.npos;
}

} // namespace

bool isFileArchive(const SniffedFile &file)
{
    const std::string_view start = file.bytes().substr(0, 4);
    return start == "PK\x03\x04"sv || start == "PK\x05\x06"sv || startsLikeTar(file.head());
}

bool isFileArchive(const std::filesystem::path &path)
{
    std::error_code failed;
    return std::filesystem::is_regular_file(path, failed) && isFileArchive(SniffedFile(path.string()));
}

std::filesystem::path archiveAbove(const std::filesystem::path &path)
{
    for (std::filesystem::path above = path.parent_path(); !above.empty() && above != above.parent_path();
         above = above.parent_path())
        if (isFileArchive(above))
            return above;
    return {};
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
    if (!namesTrace(head) && name.find("trace") == name.npos && !hasFarEvents(file))
        return "It is JSON, but not that of a trace.";
    return {};
}

bool isNamedLikeRank(const std::string &path)
{
    const auto endsSo = [&](const std::string &ending) {
        return ending != "*.log" && path.ends_with(std::string_view(ending).substr(1));
    };
    return placeInName(path).rank && std::ranges::any_of(fileEndings(), endsSo);
}

} // namespace riffle
