// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/drain.h"

#include "collector/src/operator_text.h"
#include "collector/src/sources/every_call.h"
#include "riffle/wire.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace riffle::collector {

namespace {

constexpr size_t kStarted = 1 << 16; ///< the most ranges with ids that may be open at the same time

std::string_view nameOf(const Domain *domain) { return domain ? std::string_view(domain->name) : std::string_view(); }

/// A range's name, split into its parts if PyTorch's NVTX observer wrote it, and the category for the log.
struct Said {
    OperatorText op;
    std::string_view category;
    int64_t forwardThread = wire::kAbsent;
    std::string_view types{}, strides{}, values{}; ///< of the inputs
};
Said saidBy(std::string_view name, std::string_view category)
{
    if (category == wire::kNvtxCategory)
        if (const auto op = operatorText(name))
            return {*op, op->isOperator ? wire::kOperatorCategory : wire::kUserCategory};
    return {{name, {}, wire::kAbsent, wire::kAbsent, false}, category};
}
Said saidBy(std::string_view name, std::string_view category, const OperatorFacts &facts, std::string_view inputs)
{
    std::array<std::string_view, 4> texts;
    for (size_t at = 0; at < texts.size(); ++at) {
        texts[at] = inputs.substr(0, facts.inputBytes[at]);
        inputs.remove_prefix(texts[at].size());
    }
    return {{name, texts[0], facts.sequence, facts.id, facts.isOperator != 0},
            category,
            facts.forwardThread,
            texts[1],
            texts[2],
            texts[3]};
}

/// Returns the lines of the backend's own operator; those that are empty come from the call around it.
std::string mergedLines(std::string_view inner, std::string_view outer)
{
    std::string merged;
    const auto next = [](std::string_view &text) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        return line;
    };
    while (!inner.empty() || !outer.empty()) {
        const std::string_view own = next(inner), other = next(outer);
        merged.append(own.empty() ? other : own) += '\n';
    }
    if (!merged.empty())
        merged.pop_back();
    return merged;
}

} // namespace

Drain::Stack &Drain::stackOf(Stacks &stacks, const Domain *domain)
{
    for (Stack &stack : stacks)
        if (stack.domain == domain)
            return stack;
    stacks.emplace_back();
    stacks.back().domain = domain;
    return stacks.back();
}

void Drain::fill(Open &open, const Record &record, std::string_view name, std::string_view category)
{
    open.name.assign(name);
    open.category.assign(category);
    open.start = record.time;
    open.domain = record.domain;
    open.payload = record.payload;
    open.payloadKind = record.payloadKind & ~kHasPythonStack;
    open.hasStack = record.payloadKind & kHasPythonStack;
    open.color = record.color;
    open.innerSequence = open.collectiveSequence = wire::kAbsent;
    open.collective.clear();
    open.isObserved = record.kind == RecordKind::Operator;
    if (open.isObserved) {
        assert(category.size() >= sizeof(open.facts));
        std::memcpy(&open.facts, category.data(), sizeof(open.facts));
        open.inputs.assign(category.substr(sizeof(open.facts)));
        open.category = open.facts.isOperator ? wire::kOperatorCategory : wire::kUserCategory;
    }
}

void Drain::tellOuter(Open &outer, const Open &inner)
{
    if (!outer.name.starts_with(kBackwardNode))
        return;
    if (outer.isObserved && inner.isObserved && inner.facts.sequence != wire::kAbsent &&
        std::string_view(outer.name).substr(kBackwardNode.size()) == inner.name) {
        outer.facts.sequence = inner.facts.sequence;
        outer.facts.forwardThread = inner.facts.forwardThread;
    }
    if (inner.category != wire::kNvtxCategory)
        return;
    const auto node = operatorText(outer.name), function = operatorText(inner.name);
    if (node && function && function->sequence != wire::kAbsent &&
        node->name.substr(kBackwardNode.size()) == function->name)
        outer.innerSequence = function->sequence;
}

/// The id of the thread's Python stack in the file that is being written, which gets the frames that it lacks. It is
/// the stack of the thread's outermost operator as long as that operator is open.
uint32_t Drain::stackOf(uint32_t thread)
{
    if (!m_python)
        return 0;
    if (m_pythonGeneration != m_log.textGeneration())
        m_python->forgetNodes();
    m_pythonGeneration = m_log.textGeneration();
    return m_python->idOf(thread, [this](const PythonStackNode &node) {
        m_log.pythonFrames.row(0, 0, node.id, node.parent, m_log.text(node.name), m_log.text(node.file), node.firstLine,
                               node.line);
    });
}

void Drain::sayContents(std::string_view name, std::string_view category, std::string_view shapes)
{
    if (!m_hasShapes && !shapes.empty()) {
        m_hasShapes = true;
        m_log.processInfo("shapes", "recorded");
    }
    if (!m_hasModules && category == wire::kFrameCategory && name.starts_with("nn.Module: ")) {
        m_hasModules = true;
        m_log.processInfo("modules", "recorded");
    }
}

void Drain::range(uint32_t thread, const Open &open, int64_t end)
{
    if (end < m_begin)
        return;
    const Said said =
        open.isObserved ? saidBy(open.name, open.category, open.facts, open.inputs) : saidBy(open.name, open.category);
    sayContents(said.op.name, said.category, said.op.shapes);
    const int64_t start = std::max(open.start, m_begin);
    m_log.range({.thread = thread,
                 .start = start,
                 .end = end,
                 .name = m_log.text(said.op.name),
                 .category = m_log.text(said.category),
                 .domain = m_log.text(nameOf(open.domain)),
                 .payloadKind = open.payloadKind,
                 .payload = open.payload,
                 .color = open.color,
                 .sequence = said.op.sequence == wire::kAbsent ? open.innerSequence : said.op.sequence,
                 .operatorId = said.op.operatorId,
                 .shapes = m_log.text(said.op.shapes),
                 .stack = open.hasStack ? stackOf(thread) : 0,
                 .forwardThread = said.forwardThread,
                 .types = m_log.text(said.types),
                 .strides = m_log.text(said.strides),
                 .values = m_log.text(said.values),
                 .collective = m_log.text(open.collective),
                 .collectiveSequence = open.collectiveSequence});
    if (said.category == wire::kStepCategory)
        m_log.summaries.stepEnds(thread, said.op.name, start, end);
    else if (said.category == wire::kOperatorCategory)
        m_log.summaries.operatorEnds(thread, start, end);
    ++m_events;
}

void Drain::beginCall(uint32_t thread, Stack &stack, const Record &record)
{
    const auto name = static_cast<uint32_t>(record.payload), period = static_cast<uint32_t>(record.payload >> 32);
    endCalls(thread, stack, period);
    if (stack.depth == stack.open.size())
        stack.open.emplace_back();
    fill(stack.open[stack.depth], record, m_callNames.of(name), wire::kFrameCategory);
    stack.open[stack.depth++].payload = period;
}

void Drain::endCalls(uint32_t thread, Stack &stack, uint32_t period)
{
    while (stack.depth > 0 && stack.open[stack.depth - 1].payload != period) {
        const Open &open = stack.open[stack.depth - 1];
        const int64_t end = endOfCallPeriod(static_cast<uint32_t>(open.payload));
        if (end == 0)
            return; // a period that has begun meanwhile
        --stack.depth;
        if (open.start < end)
            range(thread, open, end);
    }
}

size_t Drain::take(ThreadLog &thread)
{
    Stacks &stacks = m_stacks[thread.index()];
    const uint32_t period = everyCallPeriod(); // before the ring is read: what is open then is in it
    const size_t bytes =
        thread.ring().drain([&](const std::byte *record) { this->record(thread.index(), stacks, record); });
    for (Stack &stack : stacks)
        if (stack.domain == &kPythonCalls)
            endCalls(thread.index(), stack, period);
    lose("ring", thread.takeLoss());
    lose("open ranges", m_unfollowed.take());
    return bytes;
}

void Drain::lose(std::string_view source, const Loss &loss)
{
    if (loss.count == 0 || loss.last < m_begin)
        return;
    const int64_t first = std::clamp(loss.first, m_begin, loss.last);
    m_dropped += loss.count;
    m_reasons[std::string(source)] += loss.count;
    m_log.loss.row(first, loss.last, m_log.text(source), loss.count, first, loss.last - first);
}

void Drain::record(uint32_t thread, Stacks &stacks, const std::byte *bytes)
{
    Record record{};
    std::memcpy(&record, bytes, kPopBytes);
    ++m_entries;
    if (record.kind == RecordKind::Pop) {
        Stack &stack = stackOf(stacks, record.domain);
        assert(stack.depth <= stack.open.size());
        if (stack.depth > 0) {
            const Open &ended = stack.open[--stack.depth];
            range(thread, ended, record.time);
            if (stack.depth > 0)
                tellOuter(stack.open[stack.depth - 1], ended);
        }
        if (m_log.isDue())
            m_log.flush();
        return;
    }
    std::memcpy(&record, bytes, sizeof(record));
    const char *text = reinterpret_cast<const char *>(bytes) + sizeof(record);
    const std::string_view name(text, record.nameBytes), other(text + record.nameBytes, record.categoryBytes);
    switch (record.kind) {
    case RecordKind::Push:
    case RecordKind::Operator: {
        Stack &stack = stackOf(stacks, record.domain);
        if (stack.depth == stack.open.size())
            stack.open.emplace_back();
        fill(stack.open[stack.depth++], record, name, other);
        if (other == wire::kStepCategory)
            m_log.summaries.stepBegins(thread, std::max(record.time, m_begin));
        return;
    }
    case RecordKind::Pop: return;
    case RecordKind::Collective: {
        Stack &stack = stackOf(stacks, nullptr);
        if (stack.depth == 0)
            return;
        Open &call = stack.open[stack.depth - 1];
        call.collective.assign(name);
        call.collectiveSequence = static_cast<int64_t>(record.payload);
        // The backend's own operator is inside the call that led to it. It stands for both.
        for (size_t at = stack.depth - 1; at-- > 0;) {
            Open &outer = stack.open[at];
            if (outer.collective.empty())
                continue;
            call.collective = mergedLines(call.collective, outer.collective);
            if (call.collectiveSequence == wire::kAbsent)
                call.collectiveSequence = outer.collectiveSequence;
            outer.collective.clear();
            outer.collectiveSequence = wire::kAbsent;
        }
        return;
    }
    case RecordKind::Mark:
        if (record.time < m_begin)
            return;
        m_log.marks.row(record.time, record.time, thread, record.time, m_log.text(name), m_log.text(other),
                        m_log.text(nameOf(record.domain)), record.payloadKind, record.payload);
        ++m_events;
        break;
    case RecordKind::Counter:
        if (record.time < m_begin)
            return;
        m_log.counters.row(record.time, record.time, record.time, m_log.text(name), m_log.text(other),
                           std::bit_cast<double>(record.payload));
        ++m_events;
        break;
    case RecordKind::RangeStart: {
        uint64_t id = 0;
        assert(other.size() >= sizeof(id));
        std::memcpy(&id, other.data(), sizeof(id));
        if (m_started.size() >= kStarted) {
            m_unfollowed.add(record.time);
        } else {
            Started &started = m_started[id];
            fill(started.open, record, name, other.substr(sizeof(id)));
            started.thread = thread;
        }
        if (const auto end = m_endedFirst.extract(id))
            if (const auto found = m_started.extract(id))
                range(thread, found.mapped().open, end.mapped());
        break;
    }
    case RecordKind::RangeEnd:
        if (const auto found = m_started.extract(record.payload)) {
            range(found.mapped().thread, found.mapped().open, record.time);
        } else {
            if (m_endedFirst.size() >= kStarted)
                m_endedFirst.clear(); // their starts were dropped and will not arrive
            m_endedFirst[record.payload] = record.time;
        }
        break;
    case RecordKind::ThreadName: m_log.thread(thread, static_cast<int>(record.payload), name); return;
    case RecordKind::ProcessInfo: m_log.processInfo(name, other); return;
    case RecordKind::GapBegin: m_log.gapBegins(thread, other, name, std::max(record.time, m_begin)); return;
    case RecordKind::GapEnd: m_log.gapEnds(thread, other, record.time); return;
    case RecordKind::PythonCallName: m_callNames.add(static_cast<uint32_t>(record.payload), name); return;
    case RecordKind::PythonCall: beginCall(thread, stackOf(stacks, record.domain), record); return;
    case RecordKind::PythonCode:
        if (!m_python)
            m_python.emplace(static_cast<PythonLineFormat>(record.payloadKind));
        readPythonStackRecord(record, thread, name, other, *m_python);
        return;
    case RecordKind::PythonStack:
        if (m_python)
            readPythonStackRecord(record, thread, name, other, *m_python);
        return;
    }
    if (m_log.isDue())
        m_log.flush();
}

void Drain::listOpen()
{
    const auto list = [&](uint32_t thread, const Open &open) {
        const int64_t start = std::max(open.start, m_begin);
        const Said said = saidBy(open.name, open.category);
        m_log.openRanges.row(start, start, thread, start, m_log.text(said.op.name), m_log.text(said.category),
                             m_log.text(nameOf(open.domain)), open.hasStack ? stackOf(thread) : 0);
    };
    for (const auto &[thread, stacks] : m_stacks)
        for (const Stack &stack : stacks)
            for (size_t at = 0; at < stack.depth; ++at)
                list(thread, stack.open[at]);
    for (const auto &[id, started] : m_started)
        list(started.thread, started.open);
}

void Drain::forget(uint32_t thread, int64_t time)
{
    m_log.gapsEnd(thread, time);
    const auto found = m_stacks.extract(thread);
    if (found)
        for (const Stack &stack : found.mapped())
            for (size_t at = stack.depth; at > 0; --at)
                range(thread, stack.open[at - 1], time);
    if (m_python)
        m_python->forget(thread);
}

} // namespace riffle::collector
