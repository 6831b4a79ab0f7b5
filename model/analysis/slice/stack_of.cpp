// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/stack_of.h"

#include "model/analysis/slice/slice_links.h"
#include "model/base/ascii.h"

#include <algorithm>

namespace riffle {

namespace {

constexpr size_t kMaxFrames = 10000;

} // namespace

StackFrame parseFrame(std::string_view text)
{
    text = trimmed(text);
    const FrameText parts = splitFrame(text);
    StackFrame frame;
    frame.text = text;
    frame.function = parts.function;
    frame.file = parts.file;
    frame.line = parts.line;
    frame.kind = classifyFrame(frame.file, frame.function);
    return frame;
}

std::vector<StackFrame> framesOfText(std::string_view callStack)
{
    std::vector<StackFrame> frames;
    while (!callStack.empty() && frames.size() < kMaxFrames) {
        const size_t end = callStack.find_first_of(";\n");
        const std::string_view piece = trimmed(callStack.substr(0, end));
        if (!piece.empty())
            frames.push_back(parseFrame(piece));
        if (end == callStack.npos)
            break;
        callStack.remove_prefix(end + 1);
    }
    return frames;
}

std::vector<StackFrame> framesAround(const Trace &trace, SliceId id)
{
    std::vector<StackFrame> frames;
    std::optional<Slice> at = trace.slice(id);
    if (at && at->data.flags & slice_flag::OnStream)
        at = trace.slice(trace.launchOf(id));
    for (size_t steps = 0; at && steps < kMaxFrames; ++steps) {
        if (isPythonFrame(*at)) {
            frames.push_back(parseFrame(trace.string(at->data.name)));
            frames.back().slice = at->id;
        }
        at = trace.slice(at->parent);
    }
    return frames;
}

std::vector<StackFrame> stackOf(const Trace &trace, SliceId id)
{
    std::vector<StackFrame> frames = framesAround(trace, id);
    const auto isModule = [](const StackFrame &frame) { return frame.text.starts_with("nn.Module: "); };
    if (!std::all_of(frames.begin(), frames.end(), isModule) || !trace.source)
        return frames;
    // The stack may be an argument of this operator or of one around it.
    std::optional<Slice> at = trace.slice(id);
    if (at && at->data.flags & slice_flag::OnStream)
        at = trace.slice(trace.launchOf(id));
    for (int steps = 0; at && steps < 64; ++steps) {
        const auto detail = trace.detailOf(&Segment::operators, at->id);
        if (detail && detail[&OperatorTable::callStack] != 0) {
            const auto arguments = trace.source->arguments({at->data.sourceOffset, at->data.sourceLength});
            if (!arguments)
                return frames;
            if (auto recorded = framesOfText(argumentText(*arguments, {"Call stack"})); !recorded.empty())
                return recorded;
        }
        at = trace.slice(at->parent);
    }
    return frames;
}

} // namespace riffle
