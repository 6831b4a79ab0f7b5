// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/allocation/allocation_card.h"

#include "model/analysis/memory/allocation_stack.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/memory/allocation/allocation_text.h"

namespace riffle {

namespace {

constexpr int kMostFrames = 7;

/// The frames of the program and its libraries, and how many other frames are folded between them.
QStringList foldedStack(const MemorySnapshot &snapshot, uint32_t stack)
{
    QStringList lines;
    int folded = 0, left = 0;
    for (const StackFrame &frame : framesOf(snapshot, stack)) {
        if (frame.kind == FrameClass::Runtime || frame.kind == FrameClass::Torch) {
            ++folded;
            continue;
        }
        if (lines.size() >= kMostFrames) {
            ++left;
            continue;
        }
        const QString file = toQString(frame.file);
        lines.append(
            QStringLiteral("%1  %2:%3")
                .arg(toQString(frame.function), file.section(QLatin1Char('/'), -2), QString::number(frame.line)));
    }
    if (left > 0)
        lines.append(AllocationCard::tr("… %n more frames", nullptr, left));
    if (folded > 0)
        lines.append(AllocationCard::tr("%n PyTorch and runtime frames folded", nullptr, folded));
    return lines;
}

} // namespace

AllocationCard::AllocationCard(LandscapeState *state, MemorySession *memory, QWidget *parent)
    : TextCard(parent)
    , m_state(state)
    , m_memory(memory)
{
}

QStringList AllocationCard::describe(const LandscapeCanvas::Hit &hit) const
{
    const LandscapeData *shown = m_state->data();
    if (!shown || !hit.inside)
        return {};
    if (hit.rest) {
        int64_t rest = 0; // sizes in damaged files can be any number
        if (__builtin_sub_overflow(shown->levels.at(hit.slot)[1], m_state->landscape()->top(hit.slot), &rest))
            rest = 0;
        return {toQString(formatBytes(rest)), tr("all allocations here without their own band")};
    }
    if (hit.allocation == MemorySession::kNone)
        return {};
    const MemorySnapshot &snapshot = shown->facts->snapshot();
    const AllocationText text(snapshot, shown->replay(), hit.allocation);
    QStringList lines{text.size()};
    const auto properties = text.properties();
    for (const auto &[name, value] : properties.sliced(1))
        lines.append(name + QStringLiteral("  ") + value);
    if (const auto categories = m_state->categories())
        if (const QString guess = categoryText(*categories, shown->device, hit.allocation, m_memory->rulesFile());
            !guess.isEmpty())
            lines.append(tr("Category") + QStringLiteral("  ") + guess);
    const AllocationStack stack = allocationStack(snapshot, shown->replay().allocations, hit.allocation);
    if (!stack.isOfAllocation())
        lines.append(tr("Where it was allocated is not in the history. Freed at:"));
    return lines + foldedStack(snapshot, stack.stack);
}

void AllocationCard::showFor(const LandscapeCanvas::Hit &hit, QPoint at, const QRect &bounds)
{
    const bool same = hit.inside && hit.allocation != MemorySession::kNone && hit.allocation == m_allocation &&
                      m_state->categories().get() == m_categories && !lines().isEmpty();
    m_allocation = hit.allocation;
    m_categories = m_state->categories().get();
    showLines(same ? lines() : describe(hit), at, bounds);
}

} // namespace riffle
