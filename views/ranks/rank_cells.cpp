// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/ranks/rank_cells.h"

#include "model/trace/tables.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace riffle {

namespace {

QString said(const char *text, int n = -1)
{
    return QCoreApplication::translate("riffle::RanksPage", text, nullptr, n);
}

/// The letter behind "trace" for a kind of file, and its explanation.
struct Letter {
    RunFileKind kind;
    const char *letter, *words;
};
constexpr std::array kLetters{
    Letter{RunFileKind::Snapshot, "s", QT_TRANSLATE_NOOP("riffle::RanksPage", "snapshot")},
    Letter{RunFileKind::MemoryTimeline, "t", QT_TRANSLATE_NOOP("riffle::RanksPage", "memory timeline")},
    Letter{RunFileKind::MemoryLog, "m", QT_TRANSLATE_NOOP("riffle::RanksPage", "memory log")},
    Letter{RunFileKind::FlightDump, "f", QT_TRANSLATE_NOOP("riffle::RanksPage", "Flight Recorder dump")},
    Letter{RunFileKind::InspectorLog, "i", QT_TRANSLATE_NOOP("riffle::RanksPage", "NCCL Inspector log")}};

QString capitalised(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

/// "trace +s", "2 logs", "+f", "not read", "missing".
QString foundText(const RunCell &cell, RankState state)
{
    if (state == RankState::Failed)
        return said("not read");
    QStringList parts;
    for (const auto &[kind, one, many] : {std::tuple(RunFileKind::Trace, said("trace"), said("%1 traces")),
                                          std::tuple(RunFileKind::Log, said("log"), said("%1 logs"))})
        if (const size_t count = cell.of(kind).size())
            parts += count == 1 ? one : many.arg(count);
    QString letters;
    for (const Letter &letter : kLetters)
        if (!cell.of(letter.kind).empty())
            letters += QLatin1String(letter.letter);
    if (!letters.isEmpty())
        parts += QLatin1Char('+') + letters;
    return parts.isEmpty() ? said("missing") : parts.join(QLatin1Char(' '));
}

RankState stateOf(const TraceMember &member)
{
    switch (member.state) {
    case MemberState::Loaded: return RankState::InMemory;
    case MemberState::Loading: return RankState::Reading;
    case MemberState::Failed: return RankState::Failed;
    case MemberState::Unloaded: break;
    }
    return RankState::OnDisk;
}

/// The state of a rank is the best one of its traces.
RankState stateOf(const RunCell &cell, const Session &session)
{
    RankState best = cell.isMissing() ? RankState::NoFile : RankState::NoTrace;
    for (const RunFileKind kind : {RunFileKind::Trace, RunFileKind::Log})
        for (const FileRef file : cell.of(kind))
            if (const TraceMember *member = session.traces().member(session.run()->memberOf(file)))
                best = std::min(best, stateOf(*member));
    return best;
}

QString nameOf(const OpenRun &open, FileRef file)
{
    const RunFile &found = open.files[file.file];
    std::string name = found.name;
    while (name.size() > 1 && name.back() == '/')
        name.pop_back();
    name = name.substr(name.rfind('/') + 1);
    return toQString(file.part == FileRef::kWhole ? name : name + "/" + found.parts[file.part]);
}

QStringList aboutCell(const RunCell &cell, const OpenRun &open, RankState state)
{
    constexpr size_t kMostFiles = 3;
    QStringList lines{capitalised(toQString(cell.name()))};
    lines += said("State") + QLatin1Char('\t') + wordsOf(state);
    if (!cell.host.empty())
        lines += said("Host") + QLatin1Char('\t') + toQString(cell.host);
    if (cell.rank && !cell.coordinates.empty())
        lines += said("Place") + QLatin1Char('\t') + toQString(coordinatesText(cell.coordinates));
    for (size_t kind = 0; kind < kRunFileKinds; ++kind) {
        const std::vector<FileRef> &files = cell.files[kind];
        if (files.empty())
            continue;
        QStringList names;
        for (size_t at = 0; at < std::min(files.size(), kMostFiles); ++at)
            names += nameOf(open, files[at]);
        if (files.size() > kMostFiles)
            names += said("%1 more").arg(files.size() - kMostFiles);
        const QString title = capitalised(toQString(runFileKindName(static_cast<RunFileKind>(kind))));
        lines += title + QLatin1Char('\t') + names.join(QStringLiteral(", "));
        for (const FileRef file : files)
            if (!open.isReadable(file))
                lines += toQString(open.files[file.file].why);
        if (cell.areDuplicates[kind])
            lines += said("Duplicates") + QLatin1Char('\t') + said("several files of one kind");
    }
    return lines;
}

/// The places of the indices along an axis: an empty one for each that does not occur, unless most do not.
class Places {
public:
    template <typename IndexOf>
    Places(const Run &run, const Run::Axis &axis, IndexOf indexOf)
    {
        if (axis.size <= 2 * run.cells.size()) {
            m_count = static_cast<int>(axis.size);
            return;
        }
        for (const RunCell &cell : run.cells)
            if (const int64_t index = indexOf(cell, axis.name); index >= 0)
                m_found.push_back(index);
        std::ranges::sort(m_found);
        m_found.erase(std::ranges::unique(m_found).begin(), m_found.end());
        m_count = static_cast<int>(m_found.size());
    }
    int count() const { return m_count; }
    /// -1 for no index.
    int of(int64_t index) const
    {
        if (m_found.empty() || index < 0)
            return static_cast<int>(index);
        return static_cast<int>(std::ranges::lower_bound(m_found, index) - m_found.begin());
    }

private:
    std::vector<int64_t> m_found; ///< in order; empty if each index is a place
    int m_count = 0;
};

/// Puts the cells of a run into groups by the two longest axes, one group per place along the others.
void groupByAxes(const Run &run, RankGridData &data)
{
    std::vector<Run::Axis> axes = run.axes;
    std::ranges::stable_sort(axes, std::ranges::greater(), &Run::Axis::size);
    const Run::Axis across = axes[0], down = axes[1];
    const auto indexOf = [](const RunCell &cell, const std::string &axis) {
        const auto found = std::ranges::find(cell.coordinates, axis, &ParallelCoordinate::axis);
        return found == cell.coordinates.end() ? int64_t{-1} : static_cast<int64_t>(found->index);
    };
    const Places columns(run, across, indexOf), rows(run, down, indexOf);
    std::map<std::string, RankGridData::Group> groups;
    std::vector<int> without;
    for (size_t at = 0; at < run.cells.size(); ++at) {
        RankGridData::Cell &cell = data.cells[at];
        cell.column = columns.of(indexOf(run.cells[at], across.name));
        cell.row = rows.of(indexOf(run.cells[at], down.name));
        if (cell.column < 0 || cell.row < 0) {
            without.push_back(static_cast<int>(at));
            continue;
        }
        std::vector<ParallelCoordinate> others;
        for (const ParallelCoordinate &one : run.cells[at].coordinates)
            if (one.axis != across.name && one.axis != down.name)
                others.push_back(one);
        RankGridData::Group &group = groups[coordinatesText(others)];
        group.columns = columns.count();
        group.rows = rows.count();
        // Two cells at one place would hide each other.
        const bool isTaken = std::ranges::any_of(group.cells, [&](int other) {
            return data.cells[static_cast<size_t>(other)].column == cell.column &&
                   data.cells[static_cast<size_t>(other)].row == cell.row;
        });
        if (isTaken)
            without.push_back(static_cast<int>(at));
        else
            group.cells.push_back(static_cast<int>(at));
    }
    for (auto &[others, group] : groups) {
        group.title = toQString(others);
        group.note = said("%1 across, %2 down").arg(toQString(across.name), toQString(down.name));
        data.groups.push_back(std::move(group));
    }
    if (!without.empty())
        data.groups.push_back({said("Without a place of their own"), {}, std::move(without), 0, 0});
}

void groupByHost(const Run &run, RankGridData &data)
{
    std::vector<std::string> hosts;
    std::map<std::string, std::vector<int>> byHost;
    for (size_t at = 0; at < run.cells.size(); ++at) {
        std::vector<int> &cells = byHost[run.cells[at].host];
        if (cells.empty())
            hosts.push_back(run.cells[at].host);
        cells.push_back(static_cast<int>(at));
    }
    for (const std::string &host : hosts) {
        RankGridData::Group group;
        if (!host.empty())
            group.title = said("host %1").arg(toQString(host));
        else if (hosts.size() > 1)
            group.title = said("host unknown");
        group.cells = std::move(byHost[host]);
        data.groups.push_back(std::move(group));
    }
}

} // namespace

RankGridData rankCells(const Session &session, const std::vector<RankRow> &rows, bool byAxes)
{
    RankGridData data;
    const OpenRun &open = *session.run();
    const bool isLaidOut = session.shownRun() < open.layout.runs.size();
    if (isLaidOut) {
        const Run &run = open.layout.runs[session.shownRun()];
        for (const RunCell &cell : run.cells) {
            RankGridData::Cell one;
            one.state = stateOf(cell, session);
            one.name = cell.rank ? QString::number(*cell.rank) : toQString(cell.name());
            one.found = foundText(cell, one.state);
            one.about = aboutCell(cell, open, one.state);
            for (size_t kind = 0; kind < kRunFileKinds; ++kind)
                if (cell.areDuplicates[kind])
                    one.copies = std::max(one.copies, cell.files[kind].size());
            one.value = kNoInt;
            data.cells.push_back(std::move(one));
        }
        if (byAxes && run.axes.size() > 1)
            groupByAxes(run, data);
        else
            groupByHost(run, data);
    }
    RankGridData::Group unplaced;
    for (const RankRow &row : rows) {
        const TraceMember *member = session.traces().member(row.member);
        if (row.cell != RankRow::kUnplaced || !member)
            continue;
        RankGridData::Cell one;
        one.state = stateOf(*member);
        one.name = toQString(row.title);
        one.found = said("trace");
        one.about = {toQString(row.title), said("State") + QLatin1Char('\t') + wordsOf(one.state),
                     said("File") + QLatin1Char('\t') + toQString(member->path)};
        one.value = kNoInt;
        unplaced.cells.push_back(static_cast<int>(data.cells.size()));
        data.cells.push_back(std::move(one));
    }
    if (!unplaced.cells.empty()) {
        unplaced.title = isLaidOut ? said("rank unknown") : QString();
        data.groups.push_back(std::move(unplaced));
    }
    return data;
}

QString lettersText(const RankGridData &data)
{
    QStringList parts;
    for (const Letter &letter : kLetters) {
        const QLatin1String sign(letter.letter);
        const auto has = [&](const RankGridData::Cell &cell) {
            const qsizetype plus = cell.found.indexOf(QLatin1Char('+'));
            return plus >= 0 && cell.found.indexOf(sign, plus) >= 0;
        };
        if (std::ranges::any_of(data.cells, has))
            parts += sign + QLatin1Char(' ') + said(letter.words);
    }
    return parts.join(QStringLiteral(" · "));
}

} // namespace riffle
