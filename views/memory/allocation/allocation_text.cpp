// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/allocation/allocation_text.h"

#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/base/format.h"
#include "model/base/ids.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>

namespace riffle {

namespace {

QString tr(const char *text) { return QCoreApplication::translate("riffle::AllocationText", text); }

QString count(int64_t number) { return toQString(formatCount(number)); }

StackFrame frameOf(const MemorySnapshot &snapshot, const MemoryFrame &frame)
{
    StackFrame out;
    out.function = snapshot.string(frame.name);
    out.file = snapshot.string(frame.file);
    if (out.file == "??")
        out.file.clear();
    out.line = std::max(0, frame.line);
    out.kind = classifyFrame(out.file, out.function);
    // The recorder's own frames, which captured the stack, are not part of the program.
    for (const char *recorder : {"unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp"})
        if (out.function.find(recorder) != std::string::npos)
            out.kind = FrameClass::Runtime;
    out.text = out.file.empty() ? out.function : out.file + "(" + std::to_string(out.line) + "): " + out.function;
    return out;
}

} // namespace

QString categoryText(const MemoryCategories &categories, size_t device, uint32_t row, const QString &rulesFile)
{
    const MemoryCategories::Verdict &verdict =
        categories.verdicts()[categories.verdict(static_cast<uint32_t>(device), row)];
    const QString category = singleLine(toQString(verdict.category), 400),
                  rule = singleLine(toQString(verdict.rule), 400);
    if (verdict.own)
        return {};
    if (verdict.inferred)
        return QStringLiteral("%1: %2").arg(category, rule);
    if (verdict.unknown)
        return QStringLiteral("%1 (%2)").arg(category, rule);
    return rulesFile.isEmpty() ? tr("%1 (guessed: %2)").arg(category, rule)
                               : tr("%1 (guessed by %3: %2)").arg(category, rule, QFileInfo(rulesFile).fileName());
}

std::vector<StackFrame> framesOf(const MemorySnapshot &snapshot, uint32_t stack)
{
    std::vector<StackFrame> frames;
    for (const uint32_t frame : snapshot.stacks.at(stack))
        frames.push_back(frameOf(snapshot, snapshot.frames[frame]));
    return frames;
}

QString eventTime(const MemorySnapshot &snapshot, const DeviceReplay &device, uint32_t event)
{
    const auto &times = snapshot.events.time;
    constexpr int64_t kNoTime = MemoryEventTable::kNoTime;
    const int64_t time = times.at(event, kNoTime), first = times.at(device.firstEvent, kNoTime);
    int64_t since = 0;
    if (time == kNoTime || first == kNoTime || __builtin_sub_overflow(time, first, &since))
        return {};
    return toQString(formatDuration(since));
}

QString hexAddress(uint64_t address) { return QStringLiteral("0x") + QString::number(address, 16); }

AllocationText::AllocationText(const MemorySnapshot &snapshot, const DeviceReplay &device, uint32_t row)
    : m_snapshot(snapshot)
    , m_device(device)
    , m_row(row)
{
}

QString AllocationText::size() const { return exactBytesText(m_device.allocations.size(m_snapshot, m_row)); }

/// The segment of the final state that contains the allocation's block; its address if the block is unknown. Null if
/// there is none.
const MemorySegment *AllocationText::segment() const
{
    const uint32_t block = m_device.allocations.block[m_row];
    const uint64_t address = m_device.allocations.address(m_snapshot, m_row);
    for (const MemorySegment &segment : m_snapshot.segments) {
        const bool holds =
            block != kNoRow && block >= segment.firstBlock && block - segment.firstBlock < segment.blocks;
        const bool around = block == kNoRow && segment.device == m_device.device && segment.host == m_device.host &&
                            address >= segment.address &&
                            address - segment.address < static_cast<uint64_t>(std::max<int64_t>(0, segment.total));
        if (holds || around)
            return &segment;
    }
    return nullptr;
}

int AllocationText::pool() const
{
    const MemoryAllocations &all = m_device.allocations;
    const MemorySegment *in = segment();
    if (in && all.block[m_row] != kNoRow)
        return static_cast<int>(in->pool);
    const uint32_t event = all.begin[m_row] != kNoRow ? all.begin[m_row]
                           : all.end[m_row] != kNoRow ? all.end[m_row]
                                                      : all.freed[m_row];
    if (event < m_snapshot.events.pool.size())
        return static_cast<int>(m_snapshot.events.pool[event]);
    return in ? static_cast<int>(in->pool) : -1;
}

QString AllocationText::stream() const
{
    if (const auto row = m_device.allocations.stream(m_snapshot, m_row); row && *row < m_snapshot.streams.size())
        return toQString(memoryStreamName(m_snapshot.streams[*row]));
    const MemorySegment *in = segment();
    return in ? toQString(memoryStreamName(in->stream)) : tr("unknown");
}

QString AllocationText::moment(uint32_t event) const
{
    const QString number = tr("event %1").arg(count(event - m_device.firstEvent));
    const QString time = eventTime(m_snapshot, m_device, event);
    return time.isEmpty() ? number : number + QStringLiteral(" · ") + time;
}

QString AllocationText::lifetime() const
{
    const MemoryAllocations &all = m_device.allocations;
    const uint32_t begin = all.begin[m_row], end = all.end[m_row];
    if (begin != kNoRow && begin == end)
        return tr("unknown: it was never freed but is not alive at the end");
    if (begin == kNoRow || end == kNoRow)
        return begin == end    ? tr("the whole history")
               : end == kNoRow ? tr("until the end")
                               : tr("from before the history until it was freed");
    QString text = tr("%1 events").arg(count(end - begin));
    constexpr int64_t kNoTime = MemoryEventTable::kNoTime;
    const int64_t from = m_snapshot.events.time.at(begin, kNoTime), to = m_snapshot.events.time.at(end, kNoTime);
    int64_t lasted = 0;
    if (from != kNoTime && to != kNoTime && !__builtin_sub_overflow(to, from, &lasted))
        text += QStringLiteral(" · ") + toQString(formatDuration(lasted));
    return text;
}

QList<std::pair<QString, QString>> AllocationText::properties() const
{
    const MemoryAllocations &all = m_device.allocations;
    QList<std::pair<QString, QString>> rows;
    const uint32_t block = all.block[m_row];
    rows.append({tr("Requested"), size()});
    rows.append({tr("Block"), block != kNoRow ? exactBytesText(m_snapshot.blocks[block].size)
                                              : tr("gone at the end, so its rounded size is not recorded")});
    rows.append({tr("Address"), hexAddress(all.address(m_snapshot, m_row))});
    rows.append({tr("Stream"), stream()});
    const int in = pool();
    rows.append(
        {tr("Pool"), in < 0 ? tr("unknown") : toQString(memoryPoolName(m_snapshot, static_cast<uint32_t>(in)))});
    rows.append({tr("Start"), all.begin[m_row] == kNoRow ? tr("before the history") : moment(all.begin[m_row])});
    if (all.freed[m_row] != kNoRow && all.freed[m_row] != all.end[m_row])
        rows.append({tr("Free requested"), moment(all.freed[m_row])});
    rows.append({tr("End"), all.end[m_row] == kNoRow ? tr("still alive at the end") : moment(all.end[m_row])});
    rows.append({tr("Lifetime"), lifetime()});
    const uint32_t event = all.begin[m_row];
    const auto text = [&](const QString &name, const Column<uint32_t> &column) {
        if (event < column.size() && !m_snapshot.string(column[event]).empty())
            rows.append({name, singleLine(toQString(m_snapshot.string(column[event])), 400)});
    };
    text(tr("Category"), m_snapshot.events.category);
    text(tr("Metadata"), m_snapshot.events.metadata);
    text(tr("Compile context"), m_snapshot.events.compileContext);
    return rows;
}

} // namespace riffle
