// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/slice_details.h"
#include "model/trace/json_entries.h"

#include <algorithm>

namespace riffle {

namespace {

constexpr size_t kMaxChildren = 200;

void readArguments(const Trace &trace, SliceDetails &details)
{
    if (!trace.source) {
        details.sourceTrouble = "The trace's file is no longer available.";
        return;
    }
    const SliceRow &row = details.slice.data;
    auto arguments = trace.source->arguments({row.sourceOffset, row.sourceLength});
    if (!arguments) {
        details.sourceTrouble = arguments.error().text();
        return;
    }
    details.arguments = std::move(*arguments);
    details.tensors = tensorArguments(details.arguments);
}

} // namespace

std::vector<std::string> elementsOf(std::string_view text)
{
    std::vector<std::string> elements;
    const size_t open = text.find('[');
    if (open == text.npos)
        return elements;
    std::string current;
    int depth = 0;
    bool quoted = false;
    const auto finish = [&](bool last) {
        const size_t first = current.find_first_not_of(" \t\r\n");
        if (first != current.npos)
            elements.push_back(current.substr(first, current.find_last_not_of(" \t\r\n") - first + 1));
        else if (!last)
            elements.emplace_back();
        current.clear();
    };
    for (size_t at = open + 1; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted) {
            current += c;
            if (c == '\\' && at + 1 < text.size())
                current += text[++at];
            else if (c == '"')
                quoted = false;
            continue;
        }
        if (depth == 0 && (c == ',' || c == ']')) {
            finish(c == ']');
            if (c == ']')
                break;
            continue;
        }
        if (c == '"')
            quoted = true;
        else if (c == '[' || c == '{')
            ++depth;
        else if (c == ']' || c == '}')
            --depth;
        current += c;
    }
    return elements;
}

std::vector<TensorArgument> tensorArguments(const EventArguments &arguments)
{
    std::vector<TensorArgument> tensors;
    const auto fill = [&](std::string_view key, std::string TensorArgument::*member) {
        for (const EventArgument &argument : arguments) {
            if (argument.key != key)
                continue;
            const std::vector<std::string> elements = elementsOf(argument.value.json());
            tensors.resize(std::max(tensors.size(), elements.size()));
            for (size_t i = 0; i < elements.size(); ++i)
                tensors[i].*member = plainText(elements[i]);
        }
    };
    fill("Input Dims", &TensorArgument::shape);
    fill("Input dims", &TensorArgument::shape);
    fill("Input type", &TensorArgument::type);
    fill("Input Strides", &TensorArgument::strides);
    fill("Concrete Inputs", &TensorArgument::value);
    return tensors;
}

std::optional<SliceDetails> detailsOf(const Trace &trace, SliceId id, const Task &task)
{
    const std::optional<Slice> slice = trace.slice(id);
    if (!slice)
        return std::nullopt;
    SliceDetails details;
    details.slice = *slice;
    details.name = trace.string(slice->data.name);
    details.category = trace.string(slice->data.category);
    details.laneName = trace.laneName(slice->lane);
    if (slice->lane.value < trace.lanes.size())
        details.processName = trace.processName(trace.lanes[slice->lane.value].process);
    readArguments(trace, details);
    if (task.stopped())
        return std::nullopt;
    details.children = trace.children(id);
    details.childCount = details.children.size();
    details.children.resize(std::min(details.children.size(), kMaxChildren));
    if (task.stopped())
        return std::nullopt;
    details.links = linksOf(trace, id);
    details.stack = stackOf(trace, id);
    // Backward work is recorded without Python frames. The stack of the forward operator shows the user's code instead.
    if (details.stack.empty() && details.links.forward.valid()) {
        details.stack = stackOf(trace, details.links.forward);
        details.forwardStack = !details.stack.empty();
    }
    return task.stopped() ? std::nullopt : std::optional(std::move(details));
}

} // namespace riffle
