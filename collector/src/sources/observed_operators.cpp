// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/engine.h"
#include "riffle/wire.h"

#include <algorithm>
#include <array>
#include <string>

// The functions for an observer of PyTorch's operators in this process. It calls them on the program's own threads.

namespace riffle::collector {

namespace {

/// Keeps the ids of these ranges apart from those of NVTX.
constexpr uint64_t kObserved = uint64_t{1} << 63;

/// Converts what the observer says. Texts that are too long are left out.
ObservedOperator observed(const riffle_operator &from)
{
    const auto known = [](auto number) { return number == 0 ? wire::kAbsent : static_cast<int64_t>(number); };
    ObservedOperator op{from.name ? from.name : "", {}, {}};
    op.facts.sequence = from.sequence < 0 ? wire::kAbsent : from.sequence;
    op.facts.forwardThread = from.sequence < 0 ? wire::kAbsent : static_cast<int64_t>(from.forward_thread);
    op.facts.id = known(from.id);
    op.facts.isOperator = from.is_range == 0;
    for (size_t at = 0; at < op.inputs.size(); ++at)
        if (from.inputs[at] && from.input_bytes[at] <= UINT16_MAX) {
            op.inputs[at] = {from.inputs[at], from.input_bytes[at]};
            op.facts.inputBytes[at] = static_cast<uint16_t>(from.input_bytes[at]);
        }
    return op;
}

void operatorBegins(const riffle_operator *from)
{
    Engine *engine = Engine::existing();
    if (!engine || from->size < sizeof(*from))
        return;
    const ObservedOperator op = observed(*from);
    if (!engine->follows()) {
        if (ThreadLog *log = engine->knownLog())
            log->push(false, op, nullptr); // so that a later recording knows what is open
        return;
    }
    engine->began(op.name);
    if (ThreadLog *log = engine->threadLog())
        log->push(engine->records(), op, engine->pythonStacks());
    else
        engine->lose();
}

void operatorEnds()
{
    if (Engine *engine = Engine::existing())
        if (ThreadLog *log = engine->knownLog())
            log->pop(nullptr);
}

void operatorStarts(const riffle_operator *from)
{
    Engine *engine = Engine::existing();
    if (!engine || !engine->follows() || from->size < sizeof(*from))
        return;
    const ObservedOperator op = observed(*from);
    engine->began(op.name);
    if (ThreadLog *log = engine->threadLog(); !log)
        engine->lose();
    else if (engine->records())
        log->start(kObserved | from->id, nullptr, op.name, op.category(), 0, 0, 0);
}

void operatorFinishes(uint64_t id)
{
    if (Engine *engine = Engine::existing(); engine && engine->follows()) {
        if (ThreadLog *log = engine->threadLog())
            log->add(RecordKind::RangeEnd, nullptr, {}, {}, 0, kObserved | id);
        else
            engine->lose();
    }
}

/// A text of lines in fixed memory. A line that does not fit is empty.
class Lines {
public:
    void add(const char *line)
    {
        const std::string_view text = line ? line : "";
        if (!m_isFirst)
            put("\n");
        m_isFirst = false;
        const size_t start = m_size;
        put(text);
        std::replace(m_bytes.data() + start, m_bytes.data() + m_size, '\n', ' ');
    }
    void add(int64_t number) { add(number < 0 ? "" : std::to_string(number).c_str()); }
    std::string_view view() const { return {m_bytes.data(), m_size}; }

private:
    void put(std::string_view text)
    {
        if (text.size() <= m_bytes.size() - m_size)
            m_size += text.copy(m_bytes.data() + m_size, text.size());
    }
    std::array<char, 16 << 10> m_bytes;
    size_t m_size = 0;
    bool m_isFirst = true;
};

void collective(const riffle_collective *from)
{
    Engine *engine = Engine::existing();
    if (!engine || !engine->follows() || from->size < sizeof(*from))
        return;
    ThreadLog *log = engine->knownLog();
    if (!log)
        return;
    Lines lines; // in the order of wire::kCollectiveKeys
    for (const char *text : {from->operation, from->data_type, from->group, from->description})
        lines.add(text);
    for (const int64_t number : {from->in_elements, from->out_elements, from->group_size, from->rank, from->source_rank,
                                 from->destination_rank})
        lines.add(number);
    for (const char *text : {from->in_split, from->out_split, from->ranks})
        lines.add(text);
    log->collective(lines.view(), from->sequence < 0 ? wire::kAbsent : from->sequence);
}

constexpr riffle_operator_functions kFunctions{
    sizeof(riffle_operator_functions), operatorBegins, operatorEnds, operatorStarts, operatorFinishes, collective};

} // namespace

} // namespace riffle::collector

extern "C" const struct riffle_operator_functions *riffle_observer_functions(void)
{
    return &riffle::collector::kFunctions;
}
