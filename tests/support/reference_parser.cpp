// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference_parser.h"

#include "tests/support/interner.h"
#include "tests/support/raw_token.h"

#include <simdjson.h>
#include <xxhash.h>

#include <cstring>
#include <utility>

namespace riffle::bench {

namespace {

namespace ondemand = simdjson::ondemand;

void readInteger(ondemand::value &value, std::int64_t &target)
{
    std::int64_t number = 0;
    if (value.get_int64().get(number) == simdjson::SUCCESS)
        target = number;
}

void readDouble(ondemand::value &value, double &target)
{
    double number = 0;
    if (value.get_double().get(number) == simdjson::SUCCESS)
        target = number;
}

void readTriple(ondemand::value &value, std::array<std::int64_t, 3> &target)
{
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS)
        return;
    std::size_t i = 0;
    for (auto element : array) {
        if (element.error() != simdjson::SUCCESS || i == target.size())
            return;
        ondemand::value &&item = std::move(element).value_unsafe();
        readInteger(item, target[i++]);
    }
}

std::uint64_t rawHash(ondemand::value &value)
{
    std::string_view text = value.raw_json_token();
    if (text.starts_with('[')) {
        ondemand::array array;
        if (value.get_array().get(array) != simdjson::SUCCESS || array.raw_json().get(text) != simdjson::SUCCESS)
            return 0;
    } else {
        text = unquoted(text);
    }
    return XXH3_64bits(text.data(), text.size());
}

} // namespace

struct ReferenceParser::State {
    ondemand::parser parser;
    std::vector<char> buffer;
    Interner names;
    ReferenceColumns columns;

    // The arguments of the current event. A family is kept if at least one of its fields occurs.
    ReferenceColumns::Link link;
    ReferenceColumns::Op op;
    ReferenceColumns::Python python;
    ReferenceColumns::Gpu gpu;
    ReferenceColumns::Memory memory;
    ReferenceColumns::Collective collective;
    bool hasLink = false, hasOp = false, hasPython = false, hasGpu = false, hasMemory = false, hasCollective = false;

    std::uint32_t name(ondemand::value &value) { return names.number(unquoted(value.raw_json_token())); }

    /// Numbers are returned unchanged. Texts get numbers from -2 downwards, so that they never equal a process or
    /// thread.
    std::int64_t place(ondemand::value &value)
    {
        std::int64_t number = 0;
        if (value.get_int64().get(number) == simdjson::SUCCESS)
            return number;
        return -2 - std::int64_t(name(value));
    }

    bool readEvent(ondemand::object event);
    bool readArguments(ondemand::object arguments);
    void readArgument(const char *key, ondemand::value &value);
    void keepArguments(std::uint32_t event);
};

void ReferenceParser::State::readArgument(const char *key, ondemand::value &value)
{
    const auto linkField = [&](std::int64_t &field) {
        hasLink = true;
        readInteger(value, field);
    };
    const auto opField = [&](std::int64_t &field) {
        hasOp = true;
        readInteger(value, field);
    };
    const auto textField = [&](std::uint64_t &field) {
        hasOp = true;
        field = rawHash(value);
    };
    const auto pythonField = [&](std::int64_t &field) {
        hasPython = true;
        readInteger(value, field);
    };
    const auto gpuField = [&](std::int64_t &field) {
        hasGpu = true;
        readInteger(value, field);
    };
    const auto gpuRate = [&](double &field) {
        hasGpu = true;
        readDouble(value, field);
    };
    const auto gpuSize = [&](auto &field) {
        hasGpu = true;
        readTriple(value, field);
    };
    const auto memoryField = [&](std::int64_t &field) {
        hasMemory = true;
        readInteger(value, field);
    };
    const auto groupField = [&](std::int64_t &field) {
        hasCollective = true;
        readInteger(value, field);
    };
    const auto groupName = [&](std::uint32_t &field) {
        hasCollective = true;
        field = name(value);
    };
    switch (key[0]) {
    case 'A':
        if (keyIs(key, "Addr\""))
            memoryField(memory.address);
        break;
    case 'B':
        if (keyIs(key, "Bytes\""))
            memoryField(memory.bytes);
        break;
    case 'C':
        if (keyIs(key, "Concrete Inputs\""))
            textField(op.concrete);
        else if (keyIs(key, "Call stack\""))
            textField(op.callStack);
        else if (keyIs(key, "Collective name\""))
            groupName(collective.name);
        break;
    case 'E':
        if (keyIs(key, "External id\""))
            linkField(link.externalId);
        else if (keyIs(key, "Ev Idx\""))
            opField(op.evIdx);
        break;
    case 'F':
        if (keyIs(key, "Fwd thread id\""))
            opField(op.forwardThread);
        break;
    case 'G':
        if (keyIs(key, "Group size\""))
            groupField(collective.groupSize);
        break;
    case 'I':
        if (keyIs(key, "Input Dims\""))
            textField(op.dims);
        else if (keyIs(key, "Input type\""))
            textField(op.types);
        else if (keyIs(key, "Input Strides\""))
            textField(op.strides);
        else if (keyIs(key, "In msg nelems\""))
            groupField(collective.inElements);
        break;
    case 'O':
        if (keyIs(key, "Out msg nelems\""))
            groupField(collective.outElements);
        break;
    case 'P':
        if (keyIs(key, "Python id\""))
            pythonField(python.id);
        else if (keyIs(key, "Python parent id\""))
            pythonField(python.parent);
        else if (keyIs(key, "Python module id\""))
            pythonField(python.module);
        else if (keyIs(key, "Process Group Name\""))
            groupName(collective.group);
        break;
    case 'S':
        if (keyIs(key, "Sequence number\""))
            opField(op.sequence);
        break;
    case 'T':
        if (keyIs(key, "Total Allocated\""))
            memoryField(memory.allocated);
        else if (keyIs(key, "Total Reserved\""))
            memoryField(memory.reserved);
        break;
    case 'b':
        if (keyIs(key, "block\""))
            gpuSize(gpu.block);
        else if (keyIs(key, "blocks per SM\""))
            gpuRate(gpu.blocksPerSm);
        else if (keyIs(key, "bytes\""))
            gpuField(gpu.bytes);
        break;
    case 'c':
        if (keyIs(key, "correlation\""))
            linkField(link.correlation);
        else if (keyIs(key, "context\""))
            gpuField(gpu.context);
        break;
    case 'd':
        if (keyIs(key, "device\""))
            gpuField(gpu.device);
        else if (keyIs(key, "dtype\""))
            groupName(collective.dtype);
        break;
    case 'e':
        if (keyIs(key, "est. achieved occupancy %\""))
            gpuRate(gpu.occupancy);
        break;
    case 'g':
        if (keyIs(key, "grid\""))
            gpuSize(gpu.grid);
        break;
    case 'r':
        if (keyIs(key, "registers per thread\""))
            gpuField(gpu.registers);
        break;
    case 's':
        if (keyIs(key, "stream\""))
            gpuField(gpu.stream);
        else if (keyIs(key, "shared memory\""))
            gpuField(gpu.sharedMemory);
        break;
    case 'w':
        if (keyIs(key, "warps per SM\""))
            gpuRate(gpu.warpsPerSm);
        break;
    default: break;
    }
}

bool ReferenceParser::State::readArguments(ondemand::object arguments)
{
    for (auto item : arguments) {
        if (item.error() != simdjson::SUCCESS)
            return false;
        ondemand::field &&field = std::move(item).value_unsafe();
        readArgument(field.key().raw(), field.value());
    }
    return true;
}

void ReferenceParser::State::keepArguments(std::uint32_t event)
{
    const auto keep = [event](bool &has, auto &row, auto &rows) {
        if (!has)
            return;
        row.event = event;
        rows.push_back(row);
        row = {};
        has = false;
    };
    keep(hasLink, link, columns.links);
    keep(hasOp, op, columns.ops);
    keep(hasPython, python, columns.python);
    keep(hasGpu, gpu, columns.gpu);
    keep(hasMemory, memory, columns.memory);
    keep(hasCollective, collective, columns.collectives);
}

// Fields and values are always taken by reference. A copy of a value that was just built from single words stalls on
// store forwarding and costs more than the whole scan.
bool ReferenceParser::State::readEvent(ondemand::object event)
{
    char ph = 0;
    std::uint32_t catNumber = 0, nameNumber = 0;
    std::int64_t pid = kAbsent, tid = kAbsent, begin = kAbsent, duration = kAbsent;
    for (auto item : event) {
        if (item.error() != simdjson::SUCCESS)
            return false;
        ondemand::field &&field = std::move(item).value_unsafe();
        const char *key = field.key().raw();
        ondemand::value &value = field.value();
        switch (key[0]) {
        case 'p':
            if (keyIs(key, "pid\""))
                pid = place(value);
            else if (keyIs(key, "ph\""))
                ph = value.raw_json_token()[1];
            break;
        case 'c':
            if (keyIs(key, "cat\""))
                catNumber = name(value);
            break;
        case 'n':
            if (keyIs(key, "name\""))
                nameNumber = name(value);
            break;
        case 't':
            if (keyIs(key, "ts\""))
                begin = nanoseconds(value.raw_json_token());
            else if (keyIs(key, "tid\""))
                tid = place(value);
            break;
        case 'd':
            if (keyIs(key, "dur\""))
                duration = nanoseconds(value.raw_json_token());
            break;
        case 'a': {
            ondemand::object arguments;
            if (keyIs(key, "args\"") && value.get_object().get(arguments) == simdjson::SUCCESS &&
                !readArguments(arguments))
                return false;
            break;
        }
        default: break;
        }
    }
    const auto index = static_cast<std::uint32_t>(columns.ph.size());
    columns.ph.push_back(ph);
    columns.cat.push_back(catNumber);
    columns.name.push_back(nameNumber);
    columns.pid.push_back(pid);
    columns.tid.push_back(tid);
    columns.begin.push_back(begin);
    columns.duration.push_back(duration);
    keepArguments(index);
    return true;
}

ReferenceParser::ReferenceParser() : m_state(std::make_unique<State>()) {}

ReferenceParser::~ReferenceParser() = default;

const ReferenceColumns &ReferenceParser::columns() const
{
    m_state->columns.strings = m_state->names.size();
    return m_state->columns;
}

/// simdjson needs one document with some bytes after it, so the batch becomes an array in its own buffer. The copy
/// stays in the core's cache and brings the bytes there.
void ReferenceParser::parse(std::string_view batch)
{
    State &state = *m_state;
    const std::size_t size = batch.size() + 2;
    const std::size_t capacity = size + simdjson::SIMDJSON_PADDING + 64;
    if (state.buffer.size() < capacity)
        state.buffer.resize(capacity);
    state.buffer[0] = '[';
    std::memcpy(state.buffer.data() + 1, batch.data(), batch.size());
    state.buffer[size - 1] = ']';

    ondemand::document document;
    ondemand::array events;
    if (state.parser.iterate(state.buffer.data(), size, state.buffer.size()).get(document) != simdjson::SUCCESS ||
        document.get_array().get(events) != simdjson::SUCCESS) {
        ++state.columns.badEvents;
        return;
    }
    for (auto element : events) {
        ondemand::object event;
        if (element.get_object().get(event) != simdjson::SUCCESS || !state.readEvent(event)) {
            ++state.columns.badEvents;
            return;
        }
    }
}

} // namespace riffle::bench
