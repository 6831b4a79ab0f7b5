// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/pickle_machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace riffle {

namespace {

template <typename T>
T little(const char *at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
static_assert(std::endian::native == std::endian::little);

double bigEndianDouble(const char *at) { return std::bit_cast<double>(__builtin_bswap64(little<uint64_t>(at))); }

/// Returns the number of fixed bytes after the opcode of an instruction, without the data whose length they give.
size_t operandBytes(uint8_t opcode)
{
    switch (opcode) {
    case 0x80:
    case 'q':
    case 'h':
    case 'K':
    case 0x8A:
    case 0x8C: return 1;
    case 'M': return 2;
    case 'r':
    case 'j':
    case 'J':
    case 0x8B:
    case 'X': return 4;
    case 0x95:
    case 'G':
    case 0x8D: return 8;
    default: return 0;
    }
}

} // namespace

PickleMachine::PickleMachine(PickleInput &input, PickleShapes &shapes, MemoryBudget &budget, const Task &task)
    : m_input(input)
    , m_shapes(shapes)
    , m_task(task)
    , m_opAt(input.begin())
    , m_budget(budget)
    , m_stackBudget{kStackBytes}
    , m_stack(&m_stackBudget)
    , m_memo(&budget)
    , m_items(&budget)
    , m_pieces(&budget)
    , m_containers(&budget)
    , m_runs(&budget)
{
}

void PickleMachine::fault(std::string message) const
{
    throw PickleFault{std::move(message), m_input.offsetOf(m_opAt)};
}

/// Counts items that are read again against the budget. Every item may be read twice for nothing: when its container is
/// completed and when its format reads it.
void PickleMachine::payForReads() const
{
    constexpr uint64_t kStretch = 1 << 10; // items that are paid for together
    m_freeReads = std::max(m_freeReads, 2 * uint64_t(m_items.size()));
    if (m_itemsRead <= m_freeReads)
        return;
    m_budget.take(kStretch * sizeof(PickleValue));
    m_freeReads = m_itemsRead + kStretch;
}

void PickleMachine::atEdge(const char *&at)
{
    if (!m_input.edge(at)) {
        m_opAt = at;
        fault("The pickle is cut off: it ends before its STOP.");
    }
    if (static_cast<size_t>(m_input.end() - at) <= operandBytes(static_cast<uint8_t>(*at))) {
        m_opAt = at;
        fault("The pickle is cut off in the middle of an instruction.");
    }
}

const char *PickleMachine::bytes(const char *&at, uint64_t count)
{
    if (!m_input.have(m_opAt, at, count))
        fault("The pickle is cut off: an instruction needs " + std::to_string(count) + " bytes, but fewer follow.");
    const char *begin = at;
    at += count;
    return begin;
}

void PickleMachine::pushText(const char *&at, uint64_t length)
{
    if (length > kLongestText)
        fault("A text has " + std::to_string(length) + " bytes, which is more than 64 MiB.");
    const char *text = bytes(at, length);
    m_stack.push(PickleValue::of(ValueKind::Text, m_shapes.text({text, static_cast<size_t>(length)})));
}

/// Pushes an integer of any length in two's complement. One that does not fit 64 bits is a fault: it cannot be an
/// address or a size.
void PickleMachine::pushLong(const char *&at, uint64_t length)
{
    if (length > kLongestText)
        fault("An integer has " + std::to_string(length) + " bytes, which is more than 64 MiB.");
    const char *digits = bytes(at, length);
    if (length == 0) {
        m_stack.push(PickleValue::ofInteger(0));
        return;
    }
    const bool negative = digits[length - 1] < 0;
    uint64_t low = negative ? UINT64_MAX : 0;
    std::memcpy(&low, digits, length < 8 ? static_cast<size_t>(length) : 8);
    for (uint64_t at8 = 8; at8 < length; ++at8)
        if (static_cast<uint8_t>(digits[at8]) != (negative ? 0xFF : 0))
            fault("An integer has more than 64 bits.");
    if (negative && !(low >> 63))
        fault("An integer has more than 64 bits.");
    PickleValue value = PickleValue::ofInteger(static_cast<int64_t>(low));
    if (!negative && low >> 63)
        value.kind = ValueKind::UInt;
    m_stack.push(value);
}

size_t PickleMachine::popMark()
{
    if (m_marks.empty())
        fault("An instruction needs a mark that was not set.");
    const size_t mark = m_marks.back();
    m_marks.pop_back();
    return mark;
}

void PickleMachine::needAbove(size_t count) const
{
    if (m_stack.size() < count + (m_marks.empty() ? 0 : m_marks.back()))
        fault("An instruction needs more values than there are.");
}

PickleValue PickleMachine::pop()
{
    needAbove(1);
    const PickleValue value = m_stack.back();
    m_stack.shrinkTo(m_stack.size() - 1);
    if ((value.kind == ValueKind::Events || value.kind == ValueKind::Blocks) && value.rows.count != 1)
        fault("There are several entries where a single value belongs.");
    return value;
}

void PickleMachine::put(uint64_t number)
{
    if (m_stack.empty())
        fault("There is no value to store in the memo.");
    if (number > m_input.offsetOf(m_opAt))
        fault("Memo number " + std::to_string(number) + " is too large for its position in the pickle.");
    PickleValue &top = m_stack.back();
    if (top.kind == ValueKind::OpenDict || top.kind == ValueKind::OpenList)
        close(top); // the C++ pickler stores containers in the memo when they are complete
    uint32_t entry = 0;
    if (top.kind == ValueKind::NewDict || top.kind == ValueKind::NewList) {
        if (top.memo != kNoMemo)
            fault("A container is stored in the memo twice.");
        top.memo = static_cast<uint32_t>(number);
        static_assert(kStackBytes / sizeof(PickleValue) < 1u << kMemoBits);
        entry = static_cast<uint32_t>(ValueKind::Unfinished) << kMemoBits | static_cast<uint32_t>(m_stack.size() - 1);
    } else if (top.kind <= ValueKind::None) {
        const bool isRun = top.kind == ValueKind::Events || top.kind == ValueKind::Blocks;
        const uint32_t id = isRun ? top.rows.first + top.rows.count - 1 : top.kind == ValueKind::None ? 0 : top.id();
        if (id >> kMemoBits)
            fault("There are more values of one kind than can be read.");
        entry = static_cast<uint32_t>(top.kind) << kMemoBits | id;
    } else {
        fault("A number is stored in the memo, which no pickler does.");
    }
    if (number == m_memo.size()) {
        m_memo.push(entry);
        return;
    }
    m_memo.fillTo(static_cast<size_t>(number) + 1, 0);
    m_memo[static_cast<size_t>(number)] = entry;
}

/// Points the memo to what a container has become.
void PickleMachine::remember(const PickleValue &container, const PickleValue &as)
{
    if (container.memo != kNoMemo)
        m_memo[container.memo] = static_cast<uint32_t>(as.kind) << kMemoBits | as.id();
}

inline void PickleMachine::get(uint64_t number)
{
    const uint32_t entry = number < m_memo.size() ? m_memo[static_cast<size_t>(number)] : 0;
    const auto kind = static_cast<ValueKind>(entry >> kMemoBits);
    if (kind <= ValueKind::Unfinished) [[unlikely]]
        getUnfinished(number, kind);
    else
        m_stack.push(PickleValue::of(kind, entry & ((1u << kMemoBits) - 1)));
}

/// Fetches a container that is still on the stack. If there is a mark directly above it, its items are still being
/// gathered and it would contain itself. Otherwise, this completes it: adding more to it later is a fault.
void PickleMachine::getUnfinished(uint64_t number, ValueKind kind)
{
    if (kind == ValueKind::Unset)
        fault("Memo number " + std::to_string(number) + " was never stored.");
    const size_t place = m_memo[static_cast<size_t>(number)] & ((1u << kMemoBits) - 1);
    if (place >= m_stack.size() || m_stack[place].kind < ValueKind::NewDict || m_stack[place].memo != number ||
        std::binary_search(m_marks.begin(), m_marks.end(), place + 1))
        fault("A container contains itself.");
    close(m_stack[place]);
    get(number);
}

PickleValue PickleMachine::run()
{
    const char *at = m_input.begin();
    for (;;) {
        if (at >= m_input.check()) [[unlikely]]
            atEdge(at);
        m_opAt = at;
        const auto opcode = static_cast<uint8_t>(*at++);
        switch (opcode) {
        case 0x80: // PROTO
            m_protocol = static_cast<uint8_t>(*at++);
            if (m_protocol > 5)
                fault("The pickle has protocol " + std::to_string(m_protocol) + "; the latest supported one is 5.");
            break;
        case 0x95: // FRAME: the length is not needed because the bytes are available anyway
            at += 8;
            break;
        case '}': {
            PickleValue value = PickleValue::plain(ValueKind::NewDict);
            value.fresh = true;
            m_stack.push(value);
            break;
        }
        case ']': {
            PickleValue value = PickleValue::plain(ValueKind::NewList);
            value.fresh = true;
            m_stack.push(value);
            break;
        }
        case ')': m_stack.push(PickleValue::plain(ValueKind::EmptyList)); break;
        case 0x94: // MEMOIZE
            if (!m_stack.empty() && m_stack.back().kind == ValueKind::NewDict && m_stack.back().memo == kNoMemo) {
                m_stack.back().memo = static_cast<uint32_t>(m_memo.size());
                m_memo.push(static_cast<uint32_t>(ValueKind::Unfinished) << kMemoBits |
                            static_cast<uint32_t>(m_stack.size() - 1));
                break;
            }
            put(m_memo.size());
            break;
        case 'q': // BINPUT
            put(static_cast<uint8_t>(*at++));
            break;
        case 'r': // LONG_BINPUT
            put(little<uint32_t>(at));
            at += 4;
            break;
        case 'h': // BINGET
            get(static_cast<uint8_t>(*at++));
            break;
        case 'j': // LONG_BINGET
            get(little<uint32_t>(at));
            at += 4;
            break;
        case '(':
            if (m_marks.size() == kMostMarks)
                fault("The pickle is nested more than 1,000 levels deep.");
            m_marks.push_back(m_stack.size());
            break;
        case 'K': // BININT1
            m_stack.push(PickleValue::ofInteger(static_cast<uint8_t>(*at++)));
            break;
        case 'M': // BININT2
            m_stack.push(PickleValue::ofInteger(little<uint16_t>(at)));
            at += 2;
            break;
        case 'J': // BININT
            m_stack.push(PickleValue::ofInteger(little<int32_t>(at)));
            at += 4;
            break;
        case 0x8A: { // LONG1
            const auto length = static_cast<uint8_t>(*at++);
            if (length == 0 || length > 8 || m_input.end() - at < length) {
                pushLong(at, length);
                break;
            }
            const unsigned shift = 64 - 8 * length;
            m_stack.push(PickleValue::ofInteger(static_cast<int64_t>(little<uint64_t>(at) << shift) >> shift));
            at += length;
            break;
        }
        case 0x8B: { // LONG4
            const auto length = little<int32_t>(at);
            if (length < 0)
                fault("An integer has a negative length.");
            at += 4;
            pushLong(at, static_cast<uint32_t>(length));
            break;
        }
        case 'G': { // BINFLOAT
            PickleValue value = PickleValue::plain(ValueKind::Float);
            value.number = bigEndianDouble(at);
            m_stack.push(value);
            at += 8;
            break;
        }
        case 0x8C: { // SHORT_BINUNICODE
            const auto length = static_cast<uint8_t>(*at++);
            pushText(at, length);
            break;
        }
        case 'X': { // BINUNICODE
            const auto length = little<uint32_t>(at);
            at += 4;
            pushText(at, length);
            break;
        }
        case 0x8D: { // BINUNICODE8
            const auto length = little<uint64_t>(at);
            at += 8;
            pushText(at, length);
            break;
        }
        case 'N': m_stack.push(PickleValue::plain(ValueKind::None)); break;
        case 0x88: m_stack.push(PickleValue::plain(ValueKind::True)); break;
        case 0x89: m_stack.push(PickleValue::plain(ValueKind::False)); break;
        case 0x85: // TUPLE1 to TUPLE3
        case 0x86:
        case 0x87: {
            const size_t count = opcode - 0x84u;
            needAbove(count);
            tuple(m_stack.size() - count);
            break;
        }
        case 't': // TUPLE
            tuple(popMark());
            break;
        case 'u': // SETITEMS
            setItems(popMark());
            look(at);
            break;
        case 's': // SETITEM
            needAbove(3);
            setItems(m_stack.size() - 2);
            look(at);
            break;
        case 'e': // APPENDS
            append(popMark());
            look(at);
            break;
        case 'a': // APPEND
            needAbove(2);
            append(m_stack.size() - 1);
            look(at);
            break;
        case 'l':   // LIST
        case 'd': { // DICT
            const size_t mark = popMark();
            PickleValue value = PickleValue::plain(opcode == 'l' ? ValueKind::NewList : ValueKind::NewDict);
            value.fresh = true;
            // Place the container below its items, where every other way of filling a container has it.
            m_stack.push(value);
            std::memmove(static_cast<void *>(m_stack.data() + mark + 1), m_stack.data() + mark,
                         (m_stack.size() - 1 - mark) * sizeof(PickleValue));
            m_stack[mark] = value;
            if (opcode == 'l')
                append(mark + 1);
            else
                setItems(mark + 1);
            break;
        }
        case 'p': // PUT
            put(memoNumber(line(at)));
            break;
        case 'g': // GET
            get(memoNumber(line(at)));
            break;
        case 'I':
        case 'L': pushIntegerLine(line(at)); break;
        case 'F': pushFloatLine(line(at)); break;
        case 'V': pushEscapedLine(line(at)); break;
        case '.': { // STOP
            // Zeros follow the end of the input, so this STOP is part of the file.
            if (m_stack.size() != 1 || !m_marks.empty())
                fault(m_stack.empty() ? "The pickle is empty." : "The pickle stops with values left over.");
            return closed(pop());
        }
        default: refuse(opcode);
        }
    }
}

} // namespace riffle
