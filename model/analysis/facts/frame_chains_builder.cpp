// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/frame_chains_builder.h"

#include "model/analysis/facts/forward_operators.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/base/filled_vector.h"
#include "model/base/merge_sort.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace riffle {

namespace {

constexpr std::string_view kTorchModule = "nn.Module:", kLightningModule = "[pl][module]",
                           kLightningProfile = "[pl][profile]";
constexpr uint32_t kModuleBit = 1u << 31, kArgumentBit = 1u << 30;

/// Splits "TOP(Net)::forward.conv(Conv2d)::forward" at its dots and drops the functions: "TOP(Net)", "conv(Conv2d)".
std::vector<std::string> hierarchyNames(std::string_view text)
{
    std::vector<std::string> names;
    std::string name;
    int depth = 0;
    bool isFunction = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == '.' && depth <= 0) {
            names.push_back(std::exchange(name, {}));
            isFunction = false;
            continue;
        }
        isFunction |= depth <= 0 && text.substr(at, 2) == "::";
        if (!isFunction)
            name += c;
    }
    names.push_back(std::move(name));
    std::erase_if(names, [](const std::string &one) { return one.empty(); });
    return names;
}

} // namespace

FrameChainsBuilder::FrameChainsBuilder(FrameChains &made, const Trace &trace, const SliceClasses &classes)
    : m_made(made)
    , m_trace(trace)
    , m_classes(classes)
{
}

void FrameChainsBuilder::finish(const CallTree &calls)
{
    m_made.m_stacks = filledVector(calls.size(), kNone);
    m_made.m_origins = filledVector(calls.size(), StackOrigin::None);
    if (!m_made.empty())
        placeCalls(calls);
    if (!m_hasFrames)
        readArguments(calls);
    m_inside = {};
    if (m_made.empty()) {
        m_made.m_stacks = BigVector<uint32_t>();
        m_made.m_origins = BigVector<StackOrigin>();
        return;
    }
    takeForward(calls);
    inherit(calls);
}

void FrameChainsBuilder::readNames()
{
    m_words.assign(m_trace.strings.count(), Plain);
    bool torch = false;
    for (uint32_t id = 0; id < m_words.size(); ++id) {
        const std::string_view text = m_trace.string(id);
        m_words[id] = text.starts_with(kTorchModule)        ? TorchModule
                      : text.starts_with(kLightningModule)  ? LightningModule
                      : text.starts_with(kLightningProfile) ? LightningProfile
                                                            : Plain;
        torch |= m_words[id] == TorchModule;
    }
    if (torch)
        std::replace_if(
            m_words.begin(), m_words.end(), [](uint8_t word) { return word > TorchModule; }, uint8_t(Plain));
}

void FrameChainsBuilder::readSlices()
{
    readNames();
    m_inside = PerSlice<uint32_t>(m_trace, kNone);
    const SlicePositions &positions = m_inside.positions();
    size_t here = 0; // the position of the slice
    for (const auto &segment : m_trace.segments) {
        for (uint32_t at = 0; at < segment->size(); ++at, ++here) {
            throwIfStoppedAt(at);
            const uint32_t slice = segment->idAt(at).value;
            const uint32_t above = m_trace.parentOf(*segment, at).value;
            const size_t place = positions.of(above);
            // A parent that crosses others may be behind its children.
            const uint32_t around = place == positions.size() ? kNone
                                    : place < here            ? m_inside.byPosition()[place]
                                                              : ahead(above, here);
            const uint32_t inside = entered(slice, *segment, at, around);
            m_inside.byPosition()[here] = inside;
            if (inside == around || m_made.frames[inside].module == m_made.moduleOfStack(around))
                continue;
            m_made.moduleSlices.push_back(slice);
            m_made.moduleOfSlice.push_back(m_made.frames[inside].module);
            m_made.moduleAround.push_back(m_made.moduleOfStack(around));
        }
    }
    m_made.frameCalls.reserve(detailCount(m_trace, &Segment::python));
    forEachDetail(m_trace, &Segment::python, [&](const Segment &segment, uint32_t at, uint32_t) {
        const uint32_t slice = segment.idAt(at).value;
        m_made.frameCalls.push_back({slice, m_inside[slice]});
    });
    mergeSortRuns(m_made.frameCalls, [](const auto &a, const auto &b) { return a.slice < b.slice; });
}

void FrameChainsBuilder::placeCalls(const CallTree &calls)
{
    SliceReader reader(m_trace);
    for (uint32_t call = 0; call < calls.size(); ++call) {
        // A range of Lightning can be an operator and a module, so use the stack around the call, not the one inside
        // it.
        if (!reader.seek(calls.slice[call]))
            continue;
        const uint32_t above = reader.parent();
        const uint32_t stack = m_inside.at(above, kNone);
        m_made.m_stacks[call] = stack;
        m_made.m_origins[call] = stack == kNone ? StackOrigin::None : StackOrigin::Own;
    }
}

uint32_t FrameChainsBuilder::entered(uint32_t slice, const Segment &segment, uint32_t at, uint32_t around)
{
    const uint32_t name = segment.slices.name[at];
    const SliceClass kind = m_classes.of(segment, at);
    const Word word = name < m_words.size() ? static_cast<Word>(m_words[name]) : Plain;
    if (kind != SliceClass::Frame && (word < LightningModule || (segment.slices.flags[at] & slice_flag::OnStream)))
        return around;
    const uint32_t outer = m_made.moduleOfStack(around);
    switch (word) {
    case TorchModule: {
        const DetailRow<PythonTable> detail = m_python.at(segment, SliceId(slice));
        return frame(around, name, module(outer, name, detail ? detail[&PythonTable::moduleId] : kNoInt), true);
    }
    case LightningProfile: return frame(around, name, module(outer, name, kNoInt), true);
    case LightningModule: {
        const std::string_view text = m_trace.string(name);
        const size_t colon = text.rfind(": ");
        return frame(
            around, name,
            dottedModule(outer, colon == text.npos ? text.substr(kLightningModule.size()) : text.substr(colon + 2)),
            true);
    }
    default: m_hasFrames = true; return frame(around, name, outer, false);
    }
}

uint32_t FrameChainsBuilder::ahead(uint32_t slice, size_t next)
{
    const SlicePositions &positions = m_inside.positions();
    SliceReader reader(m_trace);
    std::vector<uint32_t> path;
    while (m_inside.has(slice) && positions.of(slice) >= next && path.size() < kMaxAncestors && reader.seek(slice)) {
        path.push_back(slice);
        slice = reader.parent();
    }
    uint32_t inside = positions.of(slice) < next ? m_inside[slice] : kNone;
    for (auto at = path.rbegin(); at != path.rend(); ++at)
        if (reader.seek(*at))
            inside = entered(*at, reader.segment(), reader.at(), inside);
    return inside;
}

uint32_t FrameChainsBuilder::frame(uint32_t parent, uint32_t name, uint32_t module, bool isModule)
{
    return addFrame(parent, isModule ? kModuleBit | module : name, name, module);
}

/// A frame of which only its module is known to be the innermost one: several frames may share module and parent.
uint32_t FrameChainsBuilder::frameInModule(uint32_t parent, uint32_t name, uint32_t module)
{
    const uint32_t pair = m_framesInModules.of(static_cast<uint64_t>(name) << 32 | module).first;
    return addFrame(parent, kModuleBit | kArgumentBit | pair, name, module);
}

uint32_t FrameChainsBuilder::addFrame(uint32_t parent, uint32_t word, uint32_t name, uint32_t module)
{
    const auto [number, isNew] = m_frames.of(static_cast<uint64_t>(parent) << 32 | word);
    if (isNew)
        m_made.frames.push_back({parent, name, module});
    return number;
}

uint32_t FrameChainsBuilder::module(uint32_t parent, uint32_t name, int64_t id)
{
    const auto [number, isNew] = m_modules.of({parent, name, id});
    if (isNew)
        m_made.modules.push_back({parent, name, id});
    return number;
}

uint32_t FrameChainsBuilder::dottedModule(uint32_t around, std::string_view path)
{
    while (around != kNone && m_made.modules[around].name >= m_trace.strings.count())
        around = m_made.modules[around].parent;
    for (size_t from = 0; from <= path.size();) {
        const size_t dot = std::min(path.find('.', from), path.size());
        around = module(around, extraName(path.substr(from, dot - from)), kNoInt);
        from = dot + 1;
    }
    return around;
}

uint32_t FrameChainsBuilder::extraName(std::string_view text)
{
    const auto [entry, isNew] =
        m_extraNames.emplace(text, m_trace.strings.count() + static_cast<uint32_t>(m_made.m_names.size()));
    if (isNew)
        m_made.m_names.emplace_back(text);
    return entry->second;
}

void FrameChainsBuilder::readArguments(const CallTree &calls)
{
    if (!m_trace.source)
        return;
    struct Read {
        uint64_t offset;
        uint32_t length, module;
        std::vector<uint32_t> calls;
    };
    // Equal texts are read once. The number is that of the innermost module around the operator.
    std::map<std::tuple<uint64_t, uint64_t, uint32_t>, Read> reads;
    forEachDetail(m_trace, &Segment::operators, [&](const Segment &segment, uint32_t at, uint32_t row) {
        const uint64_t callStack = segment.operators.callStack[row], hierarchy = segment.operators.moduleHierarchy[row];
        if (callStack == 0 && hierarchy == 0)
            return;
        const uint32_t call = calls.operatorThatIs(segment.operators.slice[row]);
        if (call == CallTree::kNone)
            return;
        const SliceTable &slices = segment.slices;
        const uint32_t module = m_made.moduleOfStack(m_made.m_stacks[call]);
        reads
            .try_emplace({callStack, hierarchy, module},
                         Read{slices.sourceOffset[at], slices.sourceLength[at], module, {}})
            .first->second.calls.push_back(call);
    });
    if (reads.empty())
        return;
    std::vector<const Read *> order; // in source order, because the source may be compressed
    for (const auto &[texts, read] : reads)
        order.push_back(&read);
    std::sort(order.begin(), order.end(), [](const Read *a, const Read *b) { return a->offset < b->offset; });
    for (const Read *read : order) {
        throwIfStopped();
        const auto arguments = m_trace.source->arguments({read->offset, read->length});
        if (!arguments)
            continue;
        const uint32_t stack = argumentStack(argumentText(*arguments, {"Call stack"}),
                                             argumentText(*arguments, {"Module Hierarchy"}), read->module);
        for (const uint32_t of : read->calls) {
            m_made.m_stacks[of] = stack;
            m_made.m_origins[of] = stack == kNone ? StackOrigin::None : StackOrigin::Own;
        }
    }
    takeOuter(calls);
}

/// Gives the operators inside an operator with a recorded stack the same stack: they run inside the same Python frames.
void FrameChainsBuilder::takeOuter(const CallTree &calls)
{
    SliceReader reader(m_trace);
    DetailWalk walk(&Segment::operators);
    const auto takeFrom = [&](uint32_t around, uint32_t call) {
        if (around == CallTree::kNone || m_made.m_origins[around] != StackOrigin::Own ||
            !reader.seek(calls.slice[call]))
            return;
        const DetailRow<OperatorTable> own = walk.at(reader.segment(), SliceId(calls.slice[call]));
        if (own && (own[&OperatorTable::callStack] != 0 || own[&OperatorTable::moduleHierarchy] != 0))
            return;
        if (m_made.moduleOfStack(m_made.m_stacks[call]) != kNone &&
            m_made.moduleOfStack(m_made.m_stacks[call]) != m_made.moduleOfStack(m_made.m_stacks[around]))
            return; // a module between the two
        m_made.m_stacks[call] = m_made.m_stacks[around];
        m_made.m_origins[call] = StackOrigin::Own;
    };
    // Outer operators come first. In a trace that grows, they can be behind those inside them.
    std::vector<bool> isDone(calls.size());
    std::vector<uint32_t> path;
    for (uint32_t call = 0; call < calls.size(); ++call) {
        const auto around = [&](uint32_t at) {
            return calls.isOperator[at] ? calls.operatorAround(at) : CallTree::kNone;
        };
        for (uint32_t at = call; at != CallTree::kNone && !isDone[at]; at = around(at))
            path.push_back(at);
        for (; !path.empty(); path.pop_back()) {
            isDone[path.back()] = true;
            takeFrom(around(path.back()), path.back());
        }
    }
}

uint32_t FrameChainsBuilder::argumentStack(std::string_view callStack, std::string_view hierarchy, uint32_t module)
{
    uint32_t inner = module, stack = kNone;
    for (const std::string &name : hierarchyNames(hierarchy))
        inner = this->module(inner, extraName(name), kNoInt);
    std::vector<std::string_view> texts; // innermost first
    for (size_t from = 0; from < callStack.size();) {
        const size_t end = std::min(callStack.find(';', from), callStack.size());
        if (end > from)
            texts.push_back(callStack.substr(from, end - from));
        from = end + 1;
    }
    // It is not recorded which frame is the forward() of which module, so the innermost frame represents the innermost
    // module.
    for (size_t at = texts.size(); at-- > 0;)
        stack = at == 0 && inner != kNone ? frameInModule(stack, extraName(texts[at]), inner)
                                          : frame(stack, extraName(texts[at]), kNone, false);
    return texts.empty() && inner != kNone ? frame(kNone, m_made.modules[inner].name, inner, true) : stack;
}

void FrameChainsBuilder::takeForward(const CallTree &calls)
{
    for (const ForwardOperator &pair : forwardOperators(m_trace, calls)) {
        if (m_made.m_origins[pair.backward] != StackOrigin::None || m_made.m_origins[pair.forward] != StackOrigin::Own)
            continue;
        m_made.m_stacks[pair.backward] = m_made.m_stacks[pair.forward];
        m_made.m_origins[pair.backward] = StackOrigin::Forward;
    }
}

void FrameChainsBuilder::inherit(const CallTree &calls)
{
    std::vector<uint32_t> path;
    for (uint32_t call = 0; call < calls.size(); ++call) {
        throwIfStoppedAt(call);
        path.clear();
        uint32_t from = calls.isOperator[call] ? call : CallTree::kNone;
        for (; from != CallTree::kNone && m_made.m_origins[from] == StackOrigin::None && path.size() < kMaxAncestors;
             from = calls.operatorAround(from))
            path.push_back(from);
        if (from == CallTree::kNone)
            continue;
        for (const uint32_t at : path) {
            m_made.m_stacks[at] = m_made.m_stacks[from];
            m_made.m_origins[at] = m_made.m_stacks[from] == kNone ? StackOrigin::None : StackOrigin::Inherited;
        }
    }
}

} // namespace riffle
