// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/thread_log.h"

#include "collector/src/clock.h"
#include "collector/src/operator_text.h"
#include "collector/src/sources/python_stack_record.h"
#include "riffle/wire.h"

#include <algorithm>
#include <new>

namespace riffle::collector {

namespace {

constexpr size_t kStartCategoryBytes = 1024; ///< longer categories of ranges with ids are cut

}

ThreadLog::Stack *ThreadLog::stackOf(const Domain *domain)
{
    for (Stack &stack : m_stacks) {
        if (stack.used && stack.domain == domain)
            return &stack;
        if (!stack.used) {
            stack.used = true;
            stack.domain = domain;
            return &stack;
        }
    }
    return nullptr;
}

char *ThreadLog::begin(Record record, std::string_view name, size_t others)
{
    record.bytes = static_cast<uint32_t>((sizeof(record) + name.size() + others + 7) / 8 * 8);
    record.categoryBytes = static_cast<uint16_t>(others);
    record.time = now();
    record.nameBytes = static_cast<uint32_t>(name.size());
    std::byte *to = m_ring->claim(record.bytes, reserve());
    if (!to) {
        m_lost.add(record.time);
        return nullptr;
    }
    std::memcpy(to, &record, sizeof(record));
    return reinterpret_cast<char *>(to + sizeof(record));
}

bool ThreadLog::write(RecordKind kind, const Domain *domain, std::string_view name, std::string_view category,
                      uint8_t payloadKind, uint64_t payload, uint32_t color)
{
    name = name.substr(0, std::min<size_t>(wire::kMaxTextBytes, m_ring->capacity() / 8));
    category = category.substr(0, std::min<size_t>(UINT16_MAX, m_ring->capacity() / 8));
    char *text = begin({0, kind, payloadKind, 0, 0, domain, payload, 0, color}, name, category.size());
    if (!text)
        return false;
    std::ranges::copy(category, std::ranges::copy(name, text).out);
    m_ring->commit();
    return true;
}

/// Writes what has changed in the thread's Python stack if an outermost operator starts. A backward node has none of
/// its own: it gets that of its forward operator when the log is read. Returns true if the stack is written.
bool ThreadLog::takePythonStack(PythonRuntime &python, std::string_view name, std::string_view category, uint32_t depth)
{
    const bool isOperator =
        category == wire::kNvtxCategory ? resemblesOperator(name) : category == wire::kOperatorCategory;
    if (m_operatorAt != kNoDepth || !isOperator)
        return false;
    m_operatorAt = depth;
    if (name.starts_with(kBackwardNode))
        return false;
    if (!m_python)
        m_python.reset(new (std::nothrow) PythonStackLog);
    if (!m_python) {
        m_lost.add(now());
        return false;
    }
    const auto format = python.layout().instructionIsIndex ? PythonLineFormat::Pairs : PythonLineFormat::Places;
    PythonStackWriter writer(*m_ring, reserve(), m_lost, format);
    const PythonStackLog::Result taken = m_python->take(python, writer);
    return taken == PythonStackLog::kSame || taken == PythonStackLog::kChanged;
}

bool ThreadLog::writeOperator(const ObservedOperator &op, uint8_t flags)
{
    const std::string_view name = op.name.substr(0, std::min<size_t>(wire::kMaxTextBytes, m_ring->capacity() / 8));
    size_t other = sizeof(op.facts);
    for (const std::string_view input : op.inputs)
        other += input.size();
    const bool fits = other <= std::min<size_t>(UINT16_MAX, m_ring->capacity() / 8);
    other = fits ? other : sizeof(op.facts);
    char *text = begin({0, RecordKind::Operator, flags, 0, 0, nullptr, 0, 0, 0}, name, other);
    if (!text)
        return false;
    text = std::ranges::copy(name, text).out;
    OperatorFacts facts = op.facts;
    if (!fits)
        std::ranges::fill(facts.inputBytes, uint16_t{0});
    std::memcpy(text, &facts, sizeof(facts));
    text += sizeof(facts);
    if (fits)
        for (const std::string_view input : op.inputs)
            text = std::ranges::copy(input, text).out;
    m_ring->commit();
    return true;
}

int ThreadLog::push(bool recording, const Domain *domain, std::string_view name, std::string_view category,
                    uint8_t payloadKind, uint64_t payload, uint32_t color, PythonRuntime *python)
{
    return open(domain, [&](uint32_t depth) {
        if (recording && python && !domain && takePythonStack(*python, name, category, depth))
            payloadKind |= kHasPythonStack;
        return recording && write(RecordKind::Push, domain, name, category, payloadKind, payload, color);
    });
}

void ThreadLog::push(bool recording, const ObservedOperator &op, PythonRuntime *python)
{
    open(nullptr, [&](uint32_t depth) {
        const bool hasStack = recording && python && takePythonStack(*python, op.name, op.category(), depth);
        return recording && writeOperator(op, hasStack ? kHasPythonStack : 0);
    });
}

template <typename F>
int ThreadLog::open(const Domain *domain, F write)
{
    Stack *stack = stackOf(domain);
    if (!stack || stack->depth >= kDepth) {
        m_lost.add(now());
        return stack ? static_cast<int>(stack->depth++) : 0;
    }
    const bool written = write(stack->depth);
    const uint64_t bit = uint64_t{1} << (stack->depth % 64);
    uint64_t &word = stack->recorded[stack->depth / 64];
    word = written ? word | bit : word & ~bit;
    m_openRecorded += written;
    return static_cast<int>(stack->depth++);
}

void ThreadLog::collective(std::string_view text, int64_t sequence)
{
    const Stack *stack = stackOf(nullptr);
    if (text.size() <= m_ring->capacity() / 8 && stack && stack->depth > 0 && isRecorded(*stack, stack->depth - 1))
        write(RecordKind::Collective, nullptr, text, {}, 0, static_cast<uint64_t>(sequence), 0);
}

int ThreadLog::pop(const Domain *domain)
{
    Stack *stack = stackOf(domain);
    if (!stack || stack->depth == 0)
        return -1; // a pop without a push: the range started before us
    if (!domain && stack->depth - 1 == m_operatorAt)
        m_operatorAt = kNoDepth;
    if (!isRecorded(*stack, --stack->depth))
        return static_cast<int>(stack->depth);
    writePop(domain);
    return static_cast<int>(stack->depth);
}

void ThreadLog::writePop(const Domain *domain)
{
    --m_openRecorded;
    Record record{};
    record.bytes = kPopBytes;
    record.kind = RecordKind::Pop;
    record.time = now();
    record.domain = domain;
    std::byte *to = m_ring->claim(kPopBytes, 0);
    if (!to) { // cannot happen: the push left room for its pop
        m_lost.add(record.time);
        return;
    }
    std::memcpy(to, &record, kPopBytes);
    m_ring->commit();
}

CallLog *ThreadLog::calls()
{
    if (!m_calls) {
        m_calls.reset(new (std::nothrow) CallLog);
        if (m_calls && !m_calls->allocate())
            m_calls.reset();
    }
    return m_calls.get();
}

bool ThreadLog::callName(uint32_t id, std::string_view name)
{
    return write(RecordKind::PythonCallName, nullptr, name, {}, 0, id, 0);
}

bool ThreadLog::beginCall(uint32_t id, uint32_t period, int64_t time)
{
    std::byte *to = m_ring->claim(sizeof(Record), reserve());
    if (!to) {
        m_lost.add(time);
        return false;
    }
    Record record{};
    record.bytes = sizeof(Record);
    record.kind = RecordKind::PythonCall;
    record.time = time;
    record.domain = &kPythonCalls;
    record.payload = uint64_t{period} << 32 | id;
    std::memcpy(to, &record, sizeof(record));
    m_ring->commit();
    ++m_openRecorded;
    return true;
}

void ThreadLog::endCall() { writePop(&kPythonCalls); }

int ThreadLog::depth(const Domain *domain)
{
    const Stack *stack = stackOf(domain);
    return stack ? static_cast<int>(stack->depth) : 0;
}

void ThreadLog::start(uint64_t id, const Domain *domain, std::string_view name, std::string_view category,
                      uint8_t payloadKind, uint64_t payload, uint32_t color)
{
    std::array<char, sizeof(uint64_t) + kStartCategoryBytes> text;
    std::memcpy(text.data(), &id, sizeof(id));
    category = category.substr(0, text.size() - sizeof(id));
    std::ranges::copy(category, text.begin() + sizeof(id));
    write(RecordKind::RangeStart, domain, name, {text.data(), sizeof(id) + category.size()}, payloadKind, payload,
          color);
}

void ThreadLog::add(RecordKind kind, const Domain *domain, std::string_view name, std::string_view category,
                    uint8_t payloadKind, uint64_t payload, uint32_t color)
{
    write(kind, domain, name, category, payloadKind, payload, color);
}

} // namespace riffle::collector
