// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/peeked_place.h"
#include "model/trace/run/run_layout.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace riffle;
using test::require;

namespace {

/// Reads a file per line: a digit for its kind, its path, a tab and the end of its text. A line that starts with "+" is
/// a part of the file before.
std::vector<RunFile> filesOf(std::string_view text)
{
    std::vector<RunFile> files;
    while (!text.empty() && files.size() < 300) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.starts_with('+') && !files.empty()) {
            files.back().parts.emplace_back(line.substr(1));
            continue;
        }
        RunFile &file = files.emplace_back();
        if (!line.empty())
            file.kind = static_cast<RunFileKind>(static_cast<unsigned char>(line.front()) % kRunFileKinds);
        line.remove_prefix(std::min<size_t>(line.size(), 1));
        const size_t tab = line.find('\t');
        file.name = line.substr(0, tab);
        if (tab == line.npos)
            continue;
        file.recorded = placeInText(line.substr(tab));
        if (line.ends_with('!'))
            file.why = "It cannot be read.";
        if (line.ends_with('}'))
            file.recorded.span = TimeSpan{static_cast<Ns>(tab), static_cast<Ns>(line.size())};
    }
    return files;
}

/// The layout with the names of files in place of their numbers.
std::string namesOf(const RunLayout &layout, const std::vector<RunFile> &files)
{
    std::string text;
    for (const Run &run : layout.runs) {
        text += "run " + run.title() + "\n";
        for (const RunCell &cell : run.cells) {
            text += cell.name();
            for (size_t kind = 0; kind < kRunFileKinds; ++kind)
                for (const FileRef ref : cell.files[kind])
                    text += " " + files[ref.file].name + (cell.areDuplicates[kind] ? "!" : "");
            text += "\n";
        }
        for (const RunRemark &remark : run.remarks)
            text += remark.sentence + "\n";
    }
    return text;
}

} // namespace

/// Lays out files, and checks that each is in it once and that their order does not matter.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const test::Effort effort(size, {.bytes = uint64_t(64) << 20, .bytesPerByte = 2000});
    std::vector<RunFile> files = filesOf({reinterpret_cast<const char *>(data), size});
    const RunLayout layout = layoutOf(files);
    size_t expected = 0, found = layout.notRead.size();
    for (const RunFile &file : files)
        expected += file.why.empty() ? std::max<size_t>(file.parts.size(), 1) : 1;
    for (const Run &run : layout.runs) {
        found += run.unplaced.size();
        int64_t missing = 0;
        for (const RunCell &cell : run.cells) {
            missing += cell.isMissing();
            for (const auto &refs : cell.files) {
                found += refs.size();
                for (const FileRef ref : refs)
                    require(ref.file < files.size(), "a file is missing");
            }
        }
        require(missing == 0 || missing == run.missing, "the number of missing ranks is wrong");
        require(
            std::ranges::is_sorted(
                run.cells, [](const RunCell &a, const RunCell &b) { return a.rank && (!b.rank || *a.rank < *b.rank); }),
            "cells are not in order");
    }
    require(found == expected, "a file is not in the layout once");
    std::vector<std::string> names;
    for (const RunFile &file : files)
        names.push_back(file.name);
    std::ranges::sort(names);
    if (std::ranges::adjacent_find(names) != names.end())
        return 0; // files of equal names keep the order in which they came
    const std::string before = namesOf(layout, files);
    std::ranges::reverse(files);
    require(namesOf(layoutOf(files), files) == before, "the order of the files matters");
    return 0;
}
