// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run/layout_text.h"

#include "app/cli/text_width.h"
#include "model/analysis/ranks/rank_list.h"
#include "model/base/format.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace riffle::cli {

namespace {

constexpr size_t kMostNotes = 20; ///< of each kind: remarks, pairs, files without a rank

/// The path of a file, or of a part of it. Inside the folder of the run, it is relative.
std::string pathOf(std::span<const RunFile> files, FileRef ref, const std::string &folder)
{
    const RunFile &file = files[ref.file];
    std::string path = ref.part == FileRef::kWhole ? file.name : file.name + '/' + file.parts[ref.part];
    if (!folder.empty() && path.size() > folder.size() + 1 && path.starts_with(folder))
        path.erase(0, folder.size() + (folder.back() == '/' || folder.back() == '\\' ? 0 : 1));
    return shownText(path);
}

std::string kindText(size_t kind, size_t count)
{
    const std::string name = runFileKindName(static_cast<RunFileKind>(kind));
    return formatCounted(static_cast<int64_t>(count), name, name + "s");
}

/// "trace, 2 snapshots": what was found of a rank.
std::string foundText(const RunCell &cell)
{
    std::string text;
    for (size_t kind = 0; kind < kRunFileKinds; ++kind) {
        const size_t count = cell.files[kind].size();
        if (count == 0)
            continue;
        text += text.empty() ? "" : ", ";
        text += count == 1 ? std::string(runFileKindName(static_cast<RunFileKind>(kind))) : kindText(kind, count);
        if (cell.areDuplicates[kind])
            text += " (duplicates)";
        else if (count > 1 && kind != static_cast<size_t>(RunFileKind::Snapshot) &&
                 kind != static_cast<size_t>(RunFileKind::MemoryTimeline))
            text += " (spans of one worker)";
    }
    return text;
}

std::string foundText(const Run &run, std::span<const RunFile> files)
{
    std::string text;
    for (size_t kind = 0; kind < kRunFileKinds; ++kind) {
        size_t count = 0;
        for (const RunCell &cell : run.cells)
            count += cell.files[kind].size();
        count += static_cast<size_t>(std::ranges::count_if(
            run.unplaced, [&](FileRef ref) { return static_cast<size_t>(files[ref.file].kind) == kind; }));
        if (count)
            text += (text.empty() ? "" : ", ") + kindText(kind, count);
    }
    return text;
}

RankList missingRanks(const Run &run)
{
    if (run.missing == 0 || !run.worldSize)
        return {};
    std::vector<int64_t> found;
    for (const RunCell &cell : run.cells)
        if (cell.rank && !cell.isMissing())
            found.push_back(*cell.rank);
    return RankList::firstRanks(*run.worldSize).without(found);
}

std::string ranksText(const Run &run)
{
    size_t ranks = 0, places = 0;
    for (const RunCell &cell : run.cells)
        (cell.rank ? ranks : places) += cell.isMissing() ? 0 : 1;
    std::string text = formatCount(static_cast<int64_t>(ranks)) + " found";
    if (run.worldSize)
        text += fmt::format(" of {}{}", run.isWorldSizeRecorded ? "" : "at least ", formatCount(*run.worldSize));
    if (ranks == 0 && !run.worldSize)
        text = "unknown";
    if (places)
        text += fmt::format(", {} told by coordinates alone",
                            formatCounted(static_cast<int64_t>(places), "place", "places"));
    return text;
}

void addLine(std::string &text, std::string_view label, const std::string &value)
{
    if (!value.empty())
        text += fmt::format("  {:<12}{}\n", label, value);
}

template <typename Items, typename ToText>
void addList(std::string &text, std::string_view label, const Items &items, ToText toText)
{
    for (size_t at = 0; at < std::min(items.size(), kMostNotes); ++at)
        addLine(text, at == 0 ? label : "", toText(items[at]));
    if (items.size() > kMostNotes)
        addLine(text, "", fmt::format("… and {} more; --json has all", items.size() - kMostNotes));
}

/// The ranks as rows with aligned columns. Columns without any content are left out.
std::string cellTable(const Run &run, size_t most)
{
    std::vector<std::array<std::string, 5>> rows = {{"rank", "coordinates", "host", "told by", "found"}};
    size_t left = 0;
    for (const RunCell &cell : run.cells) {
        if (cell.isMissing())
            continue;
        if (rows.size() > most) {
            ++left;
            continue;
        }
        rows.push_back({cell.rank ? std::to_string(*cell.rank) : "-", coordinatesText(cell.coordinates),
                        shownText(cell.host), cell.rank ? rankEvidenceName(cell.rankFrom) : "coordinates",
                        foundText(cell)});
    }
    if (rows.size() == 1)
        return {};
    std::array<size_t, 5> widths{};
    std::array<bool, 5> isUsed{};
    for (size_t row = 0; row < rows.size(); ++row)
        for (size_t column = 0; column < widths.size(); ++column) {
            widths[column] = std::max(widths[column], widthOf(rows[row][column]));
            isUsed[column] |= row > 0 && !rows[row][column].empty();
        }
    std::string text = "\n";
    for (const auto &row : rows) {
        std::string line = " ";
        for (size_t column = 0; column < row.size(); ++column) {
            if (!isUsed[column])
                continue;
            const std::string blanks(widths[column] - widthOf(row[column]), ' ');
            line += " " + (column == 0 ? blanks + row[column] : " " + row[column] + blanks);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    if (left)
        text += fmt::format("  … and {} more; --limit 0 shows all\n",
                            formatCounted(static_cast<int64_t>(left), "rank", "ranks"));
    return text;
}

std::string axesText(const Run &run)
{
    std::string text;
    for (const Run::Axis &axis : run.axes)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.name, axis.size);
    return text;
}

std::string hostsText(const Run &run)
{
    constexpr size_t kMostHosts = 8;
    std::string text;
    for (size_t at = 0; at < std::min(run.hosts.size(), kMostHosts); ++at)
        text += (text.empty() ? "" : ", ") + shownText(run.hosts[at]);
    return run.hosts.size() > kMostHosts ? fmt::format("{} and {} more", text, run.hosts.size() - kMostHosts) : text;
}

} // namespace

std::string layoutText(const RunLayout &layout, std::span<const RunFile> files, size_t mostRanks)
{
    std::string text;
    for (const Run &run : layout.runs) {
        if (!text.empty())
            text += "\n";
        const std::string title = run.title();
        text += (title.empty() ? "Run" : shownText(title)) + "\n";
        addLine(text, "folder", shownText(run.folder));
        addLine(text, "ranks", ranksText(run));
        addLine(text, "missing", rankListText(missingRanks(run)));
        addLine(text, "axes", axesText(run));
        addLine(text, "hosts", hostsText(run));
        addLine(text, "found", foundText(run, files));
        addList(text, "no rank", run.unplaced, [&](FileRef ref) {
            return fmt::format("{} ({})", pathOf(files, ref, run.folder), runFileKindName(files[ref.file].kind));
        });
        std::vector<std::string> notes;
        for (const RunRemark &remark : run.remarks)
            if (remark.kind != RunRemark::Kind::Unplaced) // the files are listed
                notes.push_back(shownText(remark.sentence));
        addList(text, "note", notes, [](const std::string &note) { return note; });
        text += cellTable(run, mostRanks);
    }
    const auto side = [&](const ComparedPair::Side &one) {
        return one.cell ? pathOf(files, one.file, {}) : shownText(layout.runs[one.run].folder);
    };
    if (!layout.pairs.empty())
        text += "\nThese can be compared with each other:\n";
    addList(text, "A | B", layout.pairs, [&](const ComparedPair &pair) { return side(pair.a) + " | " + side(pair.b); });
    return text;
}

} // namespace riffle::cli
