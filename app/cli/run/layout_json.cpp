// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run/layout_text.h"
#include "model/analysis/ranks/rank_list.h"
#include "model/base/quoted_text.h"

#include <fmt/format.h>

#include <vector>

namespace riffle::cli {

namespace {

std::string jsonCoordinates(const std::vector<ParallelCoordinate> &coordinates)
{
    std::string text;
    for (const ParallelCoordinate &one : coordinates)
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", jsonString(one.axis), one.index);
    return "{" + text + "}";
}

std::string jsonNumber(const std::optional<int64_t> &number) { return number ? std::to_string(*number) : "null"; }

std::string jsonPath(std::span<const RunFile> files, FileRef ref)
{
    const RunFile &file = files[ref.file];
    return jsonString(ref.part == FileRef::kWhole ? file.name : file.name + '/' + file.parts[ref.part]);
}

std::string jsonFile(std::span<const RunFile> files, FileRef ref)
{
    const RunFile &file = files[ref.file];
    const auto &span = file.recorded.span;
    return fmt::format("{{\"kind\": {}, \"path\": {}{}}}", jsonString(runFileKindName(file.kind)), jsonPath(files, ref),
                       span ? fmt::format(", \"begin_ns\": {}, \"end_ns\": {}", span->begin, span->end) : "");
}

std::string jsonCell(std::span<const RunFile> files, const RunCell &cell)
{
    std::vector<FileRef> all;
    std::vector<std::string> duplicates;
    for (size_t kind = 0; kind < kRunFileKinds; ++kind) {
        all.insert(all.end(), cell.files[kind].begin(), cell.files[kind].end());
        if (cell.areDuplicates[kind])
            duplicates.emplace_back(runFileKindName(static_cast<RunFileKind>(kind)));
    }
    return fmt::format(
        "\n      {{\"rank\": {}, \"rank_from\": {}, \"coordinates\": {}, \"host\": {}, \"duplicates\": {}, "
        "\"files\": {}}}",
        jsonNumber(cell.rank), jsonString(rankEvidenceName(cell.rankFrom)), jsonCoordinates(cell.coordinates),
        jsonString(cell.host), jsonList(duplicates), jsonList(all, [&](FileRef ref) { return jsonFile(files, ref); }));
}

std::string jsonRun(std::span<const RunFile> files, const Run &run)
{
    std::vector<const RunCell *> found;
    std::vector<int64_t> ranks;
    for (const RunCell &cell : run.cells) {
        if (cell.isMissing())
            continue;
        found.push_back(&cell);
        if (cell.rank)
            ranks.push_back(*cell.rank);
    }
    const RankList missing = run.missing ? RankList::firstRanks(run.worldSize.value_or(0)).without(ranks) : RankList();
    const auto text = [](const std::string &one) { return jsonString(one); };
    std::string out = fmt::format("\n  {{\"title\": {}, \"folder\": {}, \"job\": {}, \"start_time\": {},",
                                  text(run.title()), text(run.folder), text(run.job), text(run.startTime));
    out +=
        fmt::format("\n    \"world_size\": {}, \"is_world_size_recorded\": {}, \"missing\": {}, \"missing_ranks\": {},",
                    jsonNumber(run.worldSize), run.isWorldSizeRecorded, run.missing,
                    jsonList(missing.ranges(), [](const RankList::Range &range) {
                        return fmt::format("[{}, {}]", range.first, range.last);
                    }));
    out += fmt::format("\n    \"axes\": {}, \"hosts\": {},",
                       jsonList(run.axes,
                                [&](const Run::Axis &axis) {
                                    return fmt::format("{{\"name\": {}, \"size\": {}}}", text(axis.name), axis.size);
                                }),
                       jsonList(run.hosts));
    out += "\n    \"ranks\": " + jsonList(found, [&](const RunCell *cell) { return jsonCell(files, *cell); });
    out += ",\n    \"unplaced\": " + jsonList(run.unplaced, [&](FileRef ref) { return jsonFile(files, ref); });
    out += ",\n    \"remarks\": " + jsonList(run.remarks, [&](const RunRemark &remark) {
               return fmt::format("\n      {{\"kind\": {}, \"sentence\": {}}}", text(remarkName(remark.kind)),
                                  text(remark.sentence));
           });
    return out + "}";
}

} // namespace

std::string layoutJson(const RunLayout &layout, std::span<const RunFile> files, std::span<const SkippedFile> skipped)
{
    const auto side = [&](const ComparedPair::Side &one) {
        if (!one.cell)
            return fmt::format("{{\"run\": {}}}", one.run);
        return fmt::format("{{\"run\": {}, \"rank\": {}, \"path\": {}}}", one.run,
                           jsonNumber(layout.runs[one.run].cells[*one.cell].rank), jsonPath(files, one.file));
    };
    std::vector<SkippedFile> notRead(skipped.begin(), skipped.end());
    for (const uint32_t at : layout.notRead)
        notRead.push_back({files[at].name, files[at].why, true});
    return fmt::format("{{\"runs\": {},\n \"pairs\": {},\n \"not_read\": {}}}\n",
                       jsonList(layout.runs, [&](const Run &run) { return jsonRun(files, run); }),
                       jsonList(layout.pairs,
                                [&](const ComparedPair &pair) {
                                    return fmt::format("\n  {{\"a\": {}, \"b\": {}}}", side(pair.a), side(pair.b));
                                }),
                       jsonList(notRead, [](const SkippedFile &one) {
                           return fmt::format("\n  {{\"path\": {}, \"why\": {}, \"is_loss\": {}}}",
                                              jsonString(one.path), jsonString(one.why), one.isLoss);
                       }));
}

} // namespace riffle::cli
