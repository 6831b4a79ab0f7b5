// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Completes containers: dicts that their format knows become rows, lists of frames become stacks, and other containers
// stay as they are.
#include "model/ingest/pickle_machine.h"

#include <algorithm>

namespace riffle {

namespace {

/// CPython writes lists in batches of this size: a shorter batch is the last one.
constexpr size_t kBatch = 1000;

bool isRun(ValueKind kind) { return kind == ValueKind::Events || kind == ValueKind::Blocks; }

} // namespace

/// TUPLE: takes the values from `from` on. Two whole numbers become a pair, anything else becomes a list.
void PickleMachine::tuple(size_t from)
{
    const size_t count = m_stack.size() - from;
    PickleValue *items = m_stack.data() + from;
    for (size_t at = 0; at < count; ++at)
        items[at] = closed(items[at]);
    PickleValue made = PickleValue::plain(ValueKind::EmptyList);
    if (count == 2 && items[0].kind == ValueKind::Int && items[1].kind == ValueKind::Int) {
        made = PickleValue::of(ValueKind::Pair, m_shapes.pair(items[0].integer, items[1].integer));
    } else if (count > 0) {
        made = PickleValue::plain(ValueKind::NewList);
        addItems(made, items, count);
        made.kind = ValueKind::List;
    }
    m_stack.shrinkTo(from);
    m_stack.push(made);
}

/// SETITEM(S): moves keys and values (in turn, from `from` on) into the dict below them.
void PickleMachine::setItems(size_t from)
{
    const size_t count = m_stack.size() - from;
    if (from == 0)
        fault("There are values for a dict but no dict.");
    if (count % 2)
        fault("A key has no value.");
    PickleValue *dict = m_stack.data() + from - 1;
    PickleValue *items = m_stack.data() + from;
    for (size_t at = 0; at < count; ++at)
        items[at] = closed(items[at]);
    if (dict->kind == ValueKind::NewDict) {
        PickleValue row;
        if (count > 2 && becomesRow(items, count, row)) {
            remember(*dict, row);
            row.fresh = true;
            *dict = row;
            m_stack.shrinkTo(from);
            // Consecutive rows are one value, so that a list of them costs nothing, however it is written.
            PickleValue *before = dict - 1;
            if (from >= 2 && isRun(row.kind) && (m_marks.empty() || from - 2 >= m_marks.back()) &&
                before->kind == row.kind && before->fresh &&
                before->rows.first + before->rows.count == row.rows.first) {
                ++before->rows.count;
                m_stack.shrinkTo(from - 1);
            }
            return;
        }
    } else if (dict->kind != ValueKind::OpenDict) {
        fault("Values are added to a complete dict or to something that is not a dict.");
    }
    if (count > 0)
        addItems(*dict, items, count);
    m_stack.shrinkTo(from);
}

/// APPEND(S): appends the values from `from` on to the list below them.
void PickleMachine::append(size_t from)
{
    const size_t count = m_stack.size() - from;
    if (from == 0)
        fault("There are values for a list but no list.");
    PickleValue &list = m_stack[from - 1];
    PickleValue *items = m_stack.data() + from;
    const bool isNew = list.kind == ValueKind::NewList;
    for (size_t at = 0; at < count; ++at)
        items[at] = closed(items[at]);
    if (count == 0 && (isNew || list.kind == ValueKind::OpenList)) {
        return;
    } else if (isNew && isRun(items[0].kind)) {
        const bool areEvents = items[0].kind == ValueKind::Events;
        m_runs.push({items[0].rows.first, 0});
        PickleValue run = PickleValue::of(areEvents ? ValueKind::EventList : ValueKind::BlockList,
                                          static_cast<uint32_t>(m_runs.size() - 1));
        run.fresh = true;
        remember(list, run);
        list = run;
        addRun(list, items[0].kind, items, count);
    } else if (list.fresh && (list.kind == ValueKind::EventList || list.kind == ValueKind::BlockList)) {
        addRun(list, list.kind == ValueKind::EventList ? ValueKind::Events : ValueKind::Blocks, items, count);
    } else if (PickleValue stack; isNew && count < kBatch && becomesStack(items, count, stack)) {
        remember(list, stack);
        stack.fresh = true;
        list = stack;
    } else if (isNew || list.kind == ValueKind::OpenList) {
        addItems(list, items, count);
    } else if (list.kind == ValueKind::Stack && list.fresh) {
        // More frames after a short batch: this pickler uses another batch size.
        const auto frames = m_shapes.framesOf(list.id());
        m_gathered.clear();
        for (const uint32_t frame : frames)
            m_gathered.push_back(PickleValue::of(ValueKind::Frame, frame));
        list = PickleValue::plain(ValueKind::NewList);
        addItems(list, m_gathered.data(), m_gathered.size());
        addItems(list, items, count);
    } else {
        fault("Values are added to a complete list or to something that is not a list.");
    }
    m_stack.shrinkTo(from);
}

void PickleMachine::addRun(PickleValue &list, ValueKind kind, const PickleValue *items, size_t count)
{
    PickleRows &run = m_runs[list.id()];
    for (size_t at = 0; at < count; ++at) {
        if (items[at].kind != kind)
            m_shapes.strangeItem();
        else if (items[at].rows.first == run.first + run.count)
            run.count += items[at].rows.count;
        else
            m_shapes.repeatedRows(items[at].rows.count);
    }
}

/// Adds items to a container. They must be complete already, because completing one can shorten the array of all items.
void PickleMachine::addItems(PickleValue &container, const PickleValue *items, size_t count)
{
    if (container.kind == ValueKind::NewDict || container.kind == ValueKind::NewList) {
        const uint32_t memo = container.memo;
        m_containers.push({kNone, kNone, 0});
        container = PickleValue::of(container.kind == ValueKind::NewDict ? ValueKind::OpenDict : ValueKind::OpenList,
                                    static_cast<uint32_t>(m_containers.size() - 1));
        container.fresh = true;
        container.memo = memo;
    }
    if (m_items.size() + count >= kNone)
        fault("There are more values than can be read.");
    const auto begin = static_cast<uint32_t>(m_items.size());
    std::copy_n(items, count, m_items.extend(count));
    Container &open = m_containers[container.id()];
    open.items += static_cast<uint32_t>(count);
    if (open.last != kNone && m_pieces[open.last].begin + m_pieces[open.last].count == begin) {
        m_pieces[open.last].count += static_cast<uint32_t>(count);
        return;
    }
    m_pieces.push({begin, static_cast<uint32_t>(count), kNone});
    const auto piece = static_cast<uint32_t>(m_pieces.size() - 1);
    (open.last == kNone ? open.first : m_pieces[open.last].next) = piece;
    open.last = piece;
}

/// Releases the memory of a container that became a row, if its items are the last ones in the array.
void PickleMachine::dropContainer(const PickleValue &container)
{
    const Container dropped = m_containers[container.id()];
    const Piece last = m_pieces[dropped.last];
    if (dropped.first != dropped.last || dropped.last + 1 != m_pieces.size() ||
        last.begin + last.count != m_items.size())
        return; // containers inside it may be in between, and the memo may refer to them
    m_items.shrinkTo(last.begin);
    m_pieces.shrinkTo(dropped.last);
    if (container.id() + 1 == m_containers.size())
        m_containers.shrinkTo(m_containers.size() - 1);
}

/// Returns the items of a container as one contiguous array.
const PickleValue *PickleMachine::gathered(const PickleValue &container, size_t &count)
{
    const Container &open = m_containers[container.id()];
    count = open.items;
    if (open.first == open.last)
        return m_items.data() + m_pieces[open.first].begin;
    m_gathered.clear();
    forItems(container, [&](const PickleValue &item) { m_gathered.push_back(item); });
    return m_gathered.data();
}

/// Completes a container that was being filled, and points the memo to what it has become.
void PickleMachine::close(PickleValue &value)
{
    PickleValue as;
    if (value.kind == ValueKind::NewDict || value.kind == ValueKind::NewList) {
        as = PickleValue::plain(value.kind == ValueKind::NewDict ? ValueKind::EmptyDict : ValueKind::EmptyList);
    } else {
        size_t count = 0;
        const bool isDict = value.kind == ValueKind::OpenDict;
        const PickleValue *items = gathered(value, count);
        if (isDict ? becomesRow(items, count, as) : becomesStack(items, count, as))
            dropContainer(value);
        else
            as = PickleValue::of(isDict ? ValueKind::Dict : ValueKind::List, value.id());
        if (as.id() >> kMemoBits)
            fault("There are more containers than can be read.");
    }
    remember(value, as);
    value = as;
}

bool PickleMachine::becomesRow(const PickleValue *items, size_t count, PickleValue &row)
{
    if (!m_shapes.becomesRow(*this, items, count, row))
        return false;
    if (row.rows.first >> kMemoBits)
        fault("There are more entries than can be read.");
    return true;
}

bool PickleMachine::becomesStack(const PickleValue *items, size_t count, PickleValue &stack)
{
    m_frameIds.resize(count);
    for (size_t at = 0; at < count; ++at) {
        if (items[at].kind != ValueKind::Frame)
            return false;
        m_frameIds[at] = items[at].id();
    }
    stack = PickleValue::of(ValueKind::Stack, m_shapes.stack(m_frameIds.data(), static_cast<uint32_t>(count)));
    return true;
}

/// Picklers fill a container that has one item without a mark, so a value after an unfinished list is its item if it
/// cannot be anything else. Inside a dict, this is any value that is not a text in the place of a key; inside a list,
/// only an entry or a block.
void PickleMachine::appendSingles(size_t from, bool intoDict)
{
    const auto isOpenList = [](const PickleValue &value) {
        return value.kind == ValueKind::NewList || value.kind == ValueKind::OpenList ||
               (value.fresh && (value.kind == ValueKind::EventList || value.kind == ValueKind::BlockList));
    };
    while (m_stack.size() >= from + 2 && isOpenList(m_stack[m_stack.size() - 2])) {
        const ValueKind last = m_stack.back().kind;
        if (intoDict ? last == ValueKind::Text : !isRun(last))
            return;
        if (last == ValueKind::NewDict || last == ValueKind::OpenDict)
            m_stack.shrinkTo(m_stack.size() - 1);
        else
            append(m_stack.size() - 1);
    }
}

/// Puts complete values where they belong, from the inside out. What was still being filled is left out, except for
/// lists and the outermost dict.
PickleValue PickleMachine::salvage()
{
    while (!m_marks.empty()) {
        const size_t mark = popMark();
        if (mark == 0 || mark > m_stack.size()) {
            m_stack.shrinkTo(mark);
            continue;
        }
        const ValueKind into = m_stack[mark - 1].kind;
        const bool intoDict = into == ValueKind::NewDict || into == ValueKind::OpenDict;
        appendSingles(mark, intoDict);
        const ValueKind last = m_stack.size() > mark ? m_stack.back().kind : ValueKind::None;
        if (intoDict) {
            if ((m_stack.size() - mark) % 2)
                m_stack.shrinkTo(m_stack.size() - 1);
            if (mark == 1)
                setItems(mark);
            else
                m_stack.shrinkTo(mark - 1);
        } else {
            if (last == ValueKind::NewDict || last == ValueKind::OpenDict)
                m_stack.shrinkTo(m_stack.size() - 1);
            append(mark);
        }
    }
    if (m_stack.empty())
        fault("Nothing in the pickle is complete.");
    const ValueKind root = m_stack[0].kind;
    if (root == ValueKind::NewDict || root == ValueKind::OpenDict) {
        appendSingles(1, true);
        if (m_stack.size() >= 3) { // its only key and the value for it
            m_stack.shrinkTo(3);
            setItems(1);
        }
    } else {
        appendSingles(0, false);
    }
    m_stack.shrinkTo(1);
    return closed(pop());
}

} // namespace riffle
