// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/torch/key_stacks.h"

#include "model/analysis/facts/forward_operators.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/base/ids.h"
#include "model/base/seeded_hash.h"

#include <algorithm>
#include <unordered_map>

namespace riffle {

namespace {

constexpr std::string_view kAccumulate = "torch::autograd::AccumulateGrad";

/// Frames of the autograd engine that PyTorch leaves out.
bool isHiddenFrame(std::string_view frame)
{
    const auto has = [&](std::string_view text) { return frame.find(text) != frame.npos; };
    return (has("autograd/__init__") && (has("_make_grads") || has("backward"))) ||
           (has("torch/tensor") && has("backward"));
}

std::vector<std::string> framesOf(std::string_view text)
{
    std::vector<std::string> frames;
    while (!text.empty()) {
        const std::string_view frame = text.substr(0, text.find(';'));
        text.remove_prefix(std::min(text.size(), frame.size() + 1));
        if (!frame.empty() && !isHiddenFrame(frame))
            frames.emplace_back(frame);
    }
    return frames;
}

DetailRow<OperatorTable> operatorOf(const Trace &trace, const KeyEvent &event)
{
    return event.kind <= KeyEvent::Kind::Annotation ? trace.detailOf(&Segment::operators, SliceId(event.slice))
                                                    : DetailRow<OperatorTable>();
}

bool recordsStacks(const Trace &trace)
{
    return std::ranges::any_of(trace.segments, [](const auto &segment) {
        return std::ranges::any_of(segment->operators.callStack.span(), [](uint64_t hash) { return hash != 0; });
    });
}

} // namespace

KeyStacks::KeyStacks(const TraceFacts &facts, const KeyEvents &all)
    : m_facts(facts)
    , m_all(all)
    , m_recorded(recordsStacks(facts.trace()))
    , m_stacks(all.events.size(), kNoRow)
{
    if (m_recorded) {
        takeRecorded();
        takeForwardStacks();
    } else {
        takeChains();
    }
}

std::vector<std::string> KeyStacks::frames(uint32_t stack) const
{
    if (m_recorded)
        return stack < m_frames.size() ? m_frames[stack] : std::vector<std::string>();
    std::vector<std::string> names;
    const FrameChains &chains = m_facts.chains();
    for (; stack < chains.frames.size(); stack = chains.frames[stack].parent)
        names.emplace_back(chains.nameOf(m_facts.trace(), chains.frames[stack].name));
    return names;
}

void KeyStacks::takeRecorded()
{
    const Trace &trace = m_facts.trace();
    std::unordered_map<uint64_t, uint32_t> byHash; ///< the stacks that were read so far
    std::map<std::vector<std::string>, uint32_t> numbers{{{}, 0}};
    m_frames.emplace_back();
    m_stacks.assign(m_stacks.size(), 0);
    SliceReader reader(trace);
    for (size_t at = 0; at < m_all.events.size(); ++at) {
        const auto detail = operatorOf(trace, m_all.events[at]);
        const uint64_t hash = detail ? detail[&OperatorTable::callStack] : 0;
        if (!hash) { // Riffle's recorder takes the stack of the outermost operator only
            const KeyEvent &event = m_all.events[at];
            if (event.kind == KeyEvent::Kind::Operator && event.parent != kNoRow)
                m_stacks[at] = m_stacks[event.parent];
            continue;
        }
        const auto [known, isNew] = byHash.try_emplace(hash, 0);
        if (isNew && trace.source && reader.seek(m_all.events[at].slice)) {
            const SliceTable &slices = reader.segment().slices;
            const auto arguments =
                trace.source->arguments({slices.sourceOffset[reader.at()], slices.sourceLength[reader.at()]});
            if (const ArgumentValue *stack = arguments ? findArgument(*arguments, {"Call stack"}) : nullptr) {
                const auto [number, isFirst] =
                    numbers.try_emplace(framesOf(stack->text()), static_cast<uint32_t>(m_frames.size()));
                if (isFirst)
                    m_frames.push_back(number->first);
                known->second = number->second;
            }
        }
        m_stacks[at] = known->second;
    }
}

void KeyStacks::takeForwardStacks()
{
    const Trace &trace = m_facts.trace();
    const CallTree &calls = m_facts.calls();
    // The lane of each Fwd thread id, which is the program's own number of a thread.
    SeededMap<int64_t, uint32_t> laneOf;
    for (const ForwardOperator &pair : forwardOperators(trace, calls)) {
        const auto backward = trace.detailOf(&Segment::operators, SliceId(calls.slice[pair.backward]));
        const Segment *forward = trace.segmentOf(SliceId(calls.slice[pair.forward]));
        if (backward && forward)
            laneOf.try_emplace(backward[&OperatorTable::forwardThread], forward->lane.value);
    }
    struct Origin {
        uint32_t lane = kNoRow; ///< of the forward operator
        int64_t sequence = kNoInt;
    };
    std::unordered_map<uint32_t, Origin> origins; ///< by backward operator
    BigVector<uint32_t> backwardOf(m_all.events.size(), kNoRow);
    std::map<std::pair<uint32_t, int64_t>, uint32_t> first; ///< stack of the first event per lane and Sequence number
    for (uint32_t at = 0; at < m_all.events.size(); ++at) {
        const KeyEvent &event = m_all.events[at];
        if (event.onDevice() || event.kind == KeyEvent::Kind::Memory || event.merged)
            continue;
        const auto detail = operatorOf(trace, event);
        const int64_t thread = detail ? detail[&OperatorTable::forwardThread] : kNoInt;
        const int64_t sequence = detail ? detail[&OperatorTable::sequence] : kNoInt;
        const std::string_view name = trace.string(event.name);
        const auto isInNode = [&] {
            return event.parent != kNoRow && isBackwardName(name, trace.string(m_all.events[event.parent].name));
        };
        const bool isBackward = event.kind == KeyEvent::Kind::Operator && !name.starts_with(kAutogradNode) &&
                                (thread > 0 || name == kAccumulate || (thread == kNoInt && isInNode()));
        if (isBackward) {
            backwardOf[at] = at;
            const auto lane = laneOf.find(thread);
            // AccumulateGrad has no Sequence number, so it has no forward operator.
            origins[at] = {lane == laneOf.end() ? kNoRow : lane->second, sequence};
        } else if (event.parent != kNoRow)
            backwardOf[at] = backwardOf[event.parent];
        if (backwardOf[at] == kNoRow && event.kind != KeyEvent::Kind::Frame)
            first.try_emplace({event.lane, sequence}, m_stacks[at]);
    }
    for (uint32_t at = 0; at < m_all.events.size(); ++at) {
        if (backwardOf[at] == kNoRow)
            continue;
        const Origin &origin = origins[backwardOf[at]];
        const auto found = first.find({origin.lane, origin.sequence});
        m_stacks[at] = found == first.end() ? 0 : found->second;
    }
}

void KeyStacks::takeChains()
{
    const Trace &trace = m_facts.trace();
    const CallTree &calls = m_facts.calls();
    const FrameChains &chains = m_facts.chains();
    SliceReader reader(trace);
    for (size_t at = 0; at < m_all.events.size(); ++at) {
        const KeyEvent &event = m_all.events[at];
        if (event.onDevice() || event.kind == KeyEvent::Kind::Memory)
            continue;
        const uint32_t call = calls.context.at(event.slice, kNoRow);
        if (call != kNoRow && calls.slice[call] == event.slice) {
            m_stacks[at] = chains.stackOf(call);
            continue;
        }
        for (uint32_t slice = event.slice; m_stacks[at] == kNoRow && reader.seek(slice); slice = reader.parent())
            if (const auto found =
                    std::ranges::lower_bound(chains.frameCalls, slice, {}, &FrameChains::FrameCall::slice);
                found != chains.frameCalls.end() && found->slice == slice)
                m_stacks[at] = found->stack;
    }
}

} // namespace riffle
