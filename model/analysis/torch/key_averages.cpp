// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/torch/key_averages.h"

#include "model/analysis/facts/flops.h"
#include "model/analysis/facts/numbering.h"
#include "model/analysis/facts/operator_flops.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/torch/key_stacks.h"
#include "model/base/ids.h"

#include <algorithm>
#include <map>
#include <optional>

namespace riffle {

namespace {

/// Input Dims with one space after each comma, and [] for lists of tensors.
std::string tensorShapes(std::string_view dims)
{
    std::string text;
    size_t input = 0; ///< start of the current input in `text`
    int depth = 0;
    bool isList = false;
    for (const char c : dims) {
        if (c == '[' && ++depth == 2) {
            input = text.size();
            isList = false;
        }
        isList |= depth == 3;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
            continue;
        text += c;
        if (c == ',')
            text += ' ';
        if (c == ']' && depth-- == 2 && isList)
            text.replace(input, std::string::npos, "[]");
    }
    return text;
}

/// The shapes of operators and the FLOPs that follow from them, read from the source once per combination.
class Shapes {
public:
    Shapes(const Trace &trace, std::span<const KeyEvent> events, bool texts) : m_trace(trace)
    {
        SliceReader reader(trace);
        std::vector<std::pair<TextPlace, Key>> reads;
        for (const KeyEvent &event : events) {
            if (event.kind > KeyEvent::Kind::Annotation || !reader.seek(event.slice))
                continue;
            const auto detail = reader.segment().detailOf(&Segment::operators, SliceId(event.slice));
            if (!detail || !detail[&OperatorTable::inputDims])
                continue;
            m_any = true;
            const Key key = keyOf(event.name, detail);
            if ((texts || key.isCounted) && m_found.try_emplace(key).second)
                reads.push_back({{reader.segment().slices.sourceOffset[reader.at()],
                                  reader.segment().slices.sourceLength[reader.at()]},
                                 key});
        }
        std::sort(reads.begin(), reads.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
        for (const auto &[place, key] : reads)
            read(place, key);
    }
    struct Found {
        uint32_t text = 0; ///< equal texts have equal numbers
        int64_t flops = 0;
    };
    Found of(const KeyEvent &event) const
    {
        if (event.kind > KeyEvent::Kind::Annotation || !m_any)
            return {};
        const auto detail = m_trace.detailOf(&Segment::operators, SliceId(event.slice));
        const auto found = detail ? m_found.find(keyOf(event.name, detail)) : m_found.end();
        return found == m_found.end() ? Found{} : found->second;
    }
    const std::string &text(uint32_t number) const { return m_texts[number]; }
    bool any() const { return m_any; }

private:
    struct Key {
        uint64_t dims, inputs;
        uint32_t name;
        bool isCounted;
        auto operator<=>(const Key &) const = default;
    };
    /// The name and the other inputs matter only for FLOPs.
    Key keyOf(uint32_t name, const DetailRow<OperatorTable> &detail) const
    {
        const uint64_t dims = detail[&OperatorTable::inputDims];
        return isCountedByTorch(m_trace.string(name)) ? Key{dims, detail[&OperatorTable::concreteInputs], name, true}
                                                      : Key{dims, 0, 0, false};
    }
    void read(TextPlace place, const Key &key)
    {
        const auto arguments = m_trace.source ? m_trace.source->arguments(place) : Result<EventArguments>(Error{});
        if (!arguments)
            return;
        const std::string dims = argumentJson(*arguments, kShapeKeys);
        Found &found = m_found[key];
        const auto [number, isNew] = m_numbers.try_emplace(tensorShapes(dims), static_cast<uint32_t>(m_texts.size()));
        if (isNew)
            m_texts.push_back(number->first);
        found.text = number->second;
        if (key.isCounted)
            found.flops = operatorFlops(m_trace.string(key.name), dims, argumentJson(*arguments, {"Concrete Inputs"}))
                              .value_or(0);
    }

    const Trace &m_trace;
    std::map<Key, Found> m_found;
    std::map<std::string, uint32_t> m_numbers{{"[]", 0}};
    std::vector<std::string> m_texts{"[]"};
    bool m_any = false;
};

struct AverageKey {
    uint32_t name, shapes, stack;
    uint8_t side; ///< host or device, annotation or not
    bool operator==(const AverageKey &) const = default;
};
struct AverageKeyHash {
    size_t operator()(const AverageKey &key) const
    {
        return mixed(mixed(mixed(key.name) + key.shapes) + (static_cast<uint64_t>(key.stack) << 2 | key.side));
    }
};

bool counts(const Scope &scope, const KeyEvent &event)
{
    if (scope.everything())
        return true;
    const Trace &trace = scope.facts().trace();
    const auto launch =
        event.kind == KeyEvent::Kind::Device ? trace.slice(trace.launchOf(SliceId(event.slice))) : std::nullopt;
    return scope.holds(launch ? launch->data.start : event.start);
}

} // namespace

KeyAverages keyAverages(const Scope &scope, KeyAveragesBy by)
{
    const Trace &trace = scope.facts().trace();
    const KeyEvents all(trace);
    const Shapes shapes(trace, all.events, by.shapes);
    const std::optional<KeyStacks> stacks =
        by.stack ? std::optional<KeyStacks>(std::in_place, scope.facts(), all) : std::nullopt;
    KeyAverages averages;
    averages.device = all.device;
    averages.hasShapes = shapes.any();
    averages.hasMemory = !all.memory.empty();
    averages.unlinked = all.unlinked;
    Numbering<AverageKey, AverageKeyHash> numbers;
    for (size_t at = 0; at < all.events.size(); ++at) {
        const KeyEvent &event = all.events[at];
        if (!event.hasRow() || !counts(scope, event))
            continue;
        const Shapes::Found found = shapes.of(event);
        const AverageKey key{event.name, by.shapes ? found.text : 0, stacks ? stacks->of(at) : kNoRow,
                             static_cast<uint8_t>(event.onDevice() << 1 | event.isAnnotation())};
        const auto [number, isNew] = numbers.of(key);
        if (isNew) {
            KeyAverages::Row row;
            const std::string_view name = event.kind == KeyEvent::Kind::Memory ? "[memory]" : trace.string(event.name);
            row.name = name.starts_with("ProfilerStep#") ? "ProfilerStep*" : name;
            row.onDevice = event.onDevice();
            row.isAnnotation = event.isAnnotation();
            row.shapes = shapes.text(key.shapes);
            if (stacks)
                row.stack = stacks->frames(key.stack);
            averages.rows.push_back(std::move(row));
        }
        KeyAverages::Row &row = averages.rows[number];
        ++row.calls;
        row.hostTotal += row.onDevice ? 0 : event.duration();
        row.hostSelf += row.onDevice ? 0 : event.duration() - event.hostInside;
        row.deviceTotal += event.deviceTotal;
        row.deviceSelf += event.deviceSelf;
        row.flops = addedFlops(row.flops, found.flops);
        if (averages.hasMemory) {
            const KeyMemory &memory = all.memory[at];
            row.hostBytes += memory.host;
            row.hostBytesSelf += memory.host - memory.hostInside;
            row.deviceBytes += memory.device;
            row.deviceBytesSelf += memory.device - memory.deviceInside;
        }
    }
    for (const KeyAverages::Row &row : averages.rows) {
        averages.hostSelf += row.hostSelf;
        averages.deviceSelf += row.onDevice && !row.isAnnotation ? row.deviceSelf : 0;
    }
    return averages;
}

} // namespace riffle
