// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/frame_chains.h"

#include "model/analysis/facts/frame_chains_builder.h"
#include "model/base/parallel.h"

#include <algorithm>
#include <cassert>

namespace riffle {

FrameChains::FrameChains(const Trace &trace, const SliceClasses &classes,
                         const std::function<const CallTree &()> &calls)
{
    FrameChainsBuilder builder(*this, trace, classes);
    parallelJobs({[&] { builder.readSlices(); }, [&] { calls(); }});
    builder.finish(calls());
}

uint32_t FrameChains::callOf(const DeviceWork &work, const CallTree &calls, size_t at)
{
    assert(at < work.size());
    if (work.operation[at] != CallTree::kNone)
        return work.operation[at];
    return calls.callThatIs(work.launch[at]);
}

bool FrameChains::isBackward(const CallTree &calls, uint32_t call) const
{
    while (call != CallTree::kNone && originOf(call) == StackOrigin::Inherited)
        call = calls.operatorAround(call);
    return call != CallTree::kNone && originOf(call) == StackOrigin::Forward;
}

std::string_view FrameChains::nameOf(const Trace &trace, uint32_t name) const
{
    const uint32_t strings = trace.strings.count();
    if (name < strings)
        return trace.string(name);
    return name - strings < m_names.size() ? std::string_view(m_names[name - strings]) : std::string_view();
}

std::string_view FrameChains::moduleName(const Trace &trace, uint32_t module) const
{
    assert(module < modules.size());
    std::string_view name = nameOf(trace, modules[module].name);
    for (const std::string_view prefix : {"nn.Module:", "[pl][profile]"})
        if (name.starts_with(prefix))
            name.remove_prefix(prefix.size());
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    return name;
}

std::string FrameChains::modulePath(const Trace &trace, uint32_t module) const
{
    std::vector<std::string_view> names;
    for (; module < modules.size(); module = modules[module].parent)
        names.push_back(moduleName(trace, module));
    std::string path;
    for (auto name = names.rbegin(); name != names.rend(); ++name)
        path.append(path.empty() ? "" : "/").append(*name);
    return path;
}

std::string FrameChains::stackText(const Trace &trace, uint32_t frame, size_t most) const
{
    std::string text;
    for (; frame < frames.size(); frame = frames[frame].parent) {
        if (most-- == 0)
            return text + ";…";
        text.append(text.empty() ? "" : ";").append(nameOf(trace, frames[frame].name));
    }
    return text;
}

} // namespace riffle
