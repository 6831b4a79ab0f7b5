// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/operator_flops.h"

#include "model/analysis/facts/flops.h"
#include "model/analysis/facts/numbering.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/base/big_vector.h"
#include "model/base/filled_vector.h"
#include "model/base/ids.h"
#include "model/base/stopping.h"
#include "model/trace/details.h"

#include <algorithm>
#include <optional>

namespace riffle {

namespace {

struct Key {
    uint32_t name;
    uint64_t shapes, inputs;
    bool operator==(const Key &) const = default;
};
struct KeyHash {
    size_t operator()(const Key &key) const { return mixed(key.shapes ^ key.inputs << 1 ^ key.name); }
};

struct Combination {
    uint32_t name = 0;
    uint64_t calls = 0;
    TextPlace place; ///< the place of its first event in the source
    std::optional<int64_t> flops;
    bool wasRead = false;
};

/// The FLOPs formula of each name; each name is judged once.
class NameKinds {
public:
    explicit NameKinds(const Trace &trace) : m_trace(trace), m_kinds(trace.strings.count(), kUnasked) {}
    std::optional<FlopsKind> of(uint32_t name)
    {
        if (name >= m_kinds.size())
            return std::nullopt;
        if (m_kinds[name] == kUnasked) {
            const auto kind = flopsKindOf(m_trace.string(name));
            m_kinds[name] = kind ? static_cast<uint8_t>(*kind) : kNoFormula;
        }
        return m_kinds[name] == kNoFormula ? std::nullopt : std::optional(static_cast<FlopsKind>(m_kinds[name]));
    }

private:
    static constexpr uint8_t kUnasked = 255, kNoFormula = 254;
    const Trace &m_trace;
    std::vector<uint8_t> m_kinds;
};

void readFlops(const Trace &trace, Combination &combination)
{
    const auto arguments = trace.source->arguments(combination.place);
    if (!arguments)
        return;
    combination.flops = operatorFlops(trace.string(combination.name), argumentJson(*arguments, kShapeKeys),
                                      argumentJson(*arguments, {"Concrete Inputs"}));
    combination.wasRead = true;
}

/// Reads the combinations in source order, because the source may be compressed.
void readAll(const Trace &trace, std::vector<Combination> &combinations)
{
    if (!trace.source)
        return;
    std::vector<Combination *> reads;
    for (Combination &combination : combinations)
        reads.push_back(&combination);
    if (reads.size() > OperatorFlops::kMostCombinations) {
        const auto last = reads.begin() + OperatorFlops::kMostCombinations;
        std::nth_element(reads.begin(), last, reads.end(), [](const Combination *a, const Combination *b) {
            return a->calls != b->calls ? a->calls > b->calls : a->place < b->place;
        });
        reads.erase(last, reads.end());
    }
    std::sort(reads.begin(), reads.end(),
              [](const Combination *a, const Combination *b) { return a->place < b->place; });
    for (Combination *combination : reads) {
        throwIfStopped();
        readFlops(trace, *combination);
    }
}

/// Records which calls contain calls with FLOPs, and of which kind.
class Insides {
public:
    Insides(const CallTree &tree) : m_tree(tree), m_inside(filledVector(tree.size(), uint8_t{0})) {}
    void add(uint32_t call, FlopsKind kind)
    {
        const uint8_t bit = kind == FlopsKind::ElementWise ? 1 : 2;
        for (uint32_t around = m_tree.parent[call]; around != kNoRow && !(m_inside[around] & bit);
             around = m_tree.parent[around])
            m_inside[around] |= bit;
    }
    bool hold(uint32_t call, FlopsKind kind) const
    {
        return (m_inside[call] & 1 && isCountedInside(kind, FlopsKind::ElementWise)) ||
               (m_inside[call] & 2 && isCountedInside(kind, FlopsKind::MatrixProduct));
    }

private:
    const CallTree &m_tree;
    BigVector<uint8_t> m_inside;
};

} // namespace

OperatorFlops::OperatorFlops(const Trace &trace, const CallTree &tree, const DeviceWork &work)
    : ofWork(filledVector(work.size(), kNoRow))
{
    struct Found {
        uint32_t call, combination;
        FlopsKind kind;
    };
    BigVector<Found> found;
    std::vector<Combination> combinations;
    Numbering<Key, KeyHash> numbers;
    NameKinds kinds(trace);
    forEachDetail(trace, &Segment::operators, [&](const Segment &segment, uint32_t at, uint32_t row) {
        const OperatorTable &operators = segment.operators;
        if (operators.inputDims[row] == 0)
            return;
        anyShapes = true;
        const SliceTable &slices = segment.slices;
        const uint32_t name = slices.name[at];
        const auto kind = kinds.of(name);
        if (!kind)
            return;
        const uint32_t call = tree.operatorThatIs(operators.slice[row]);
        if (call == CallTree::kNone)
            return;
        const auto [number, isNew] = numbers.of({name, operators.inputDims[row], operators.concreteInputs[row]});
        const TextPlace place{slices.sourceOffset[at], slices.sourceLength[at]};
        if (isNew)
            combinations.push_back({name, 0, place, {}, false});
        Combination &combination = combinations[number];
        ++combination.calls;
        combination.place = std::min(combination.place, place);
        found.push_back({call, number, *kind});
    });
    if (found.empty())
        return;
    readAll(trace, combinations);
    for (const Combination &combination : combinations)
        notRead += combination.wasRead ? 0 : combination.calls;

    Insides insides(tree);
    for (const Found &each : found)
        if (combinations[each.combination].flops)
            insides.add(each.call, each.kind);
    SliceReader reader(trace);
    BigVector<uint32_t> entryOf = filledVector(tree.size(), kNoRow);
    for (const Found &each : found) {
        const auto &flops = combinations[each.combination].flops;
        if (!flops || insides.hold(each.call, each.kind) || !reader.seek(tree.slice[each.call]))
            continue;
        Call counted;
        counted.call = each.call;
        counted.name = reader.name();
        counted.lane = reader.lane();
        counted.flops = *flops;
        counted.span = reader.span();
        entryOf[each.call] = static_cast<uint32_t>(calls.size());
        calls.push_back(counted);
    }

    std::vector<std::optional<ComputeType>> types(trace.strings.count());
    for (uint32_t device = 0; device < work.devices.size(); ++device) {
        for (uint32_t at = work.devices[device].first; at < work.devices[device].last; ++at) {
            uint32_t call = work.operation[at];
            while (call != CallTree::kNone && entryOf[call] == kNoRow)
                call = tree.parent[call];
            if (call == CallTree::kNone)
                continue;
            ofWork[at] = entryOf[call];
            Call &counted = calls[entryOf[call]];
            counted.deviceTime += work.duration(at);
            if (counted.device == kNoRow)
                counted.device = device;
            if (counted.type != ComputeType::Unknown || work.role[at] != Role::Compute || work.name[at] >= types.size())
                continue;
            if (!types[work.name[at]])
                types[work.name[at]] = computeTypeOf(trace.string(work.name[at]));
            counted.type = *types[work.name[at]];
        }
    }
}

} // namespace riffle
