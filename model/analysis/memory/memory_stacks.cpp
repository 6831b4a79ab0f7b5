// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_stacks.h"

#include "model/base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace riffle {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <size_t N>
bool containsAny(std::string_view text, const std::array<std::string_view, N> &parts)
{
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return contains(text, part); });
}

template <size_t N>
bool beginsWithAny(std::string_view text, const std::array<std::string_view, N> &parts)
{
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return text.starts_with(part); });
}

// Frames whose names or files contain one of these are omitted by PyTorch's memory_viz, too.
constexpr std::array<std::string_view, 7> kFoldedNames{
    "unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "__libc_start_main", "PyEval_", "PyObject_",
    "PyFunction_"};
constexpr std::array<std::string_view, 10> kFoldedFiles{"core/boxing",
                                                        "/Register",
                                                        "/Redispatch",
                                                        "pythonrun.c",
                                                        "Modules/main.c",
                                                        "Objects/call.c",
                                                        "Objects/methodobject.c",
                                                        "pycore_ceval.h",
                                                        "ceval.c",
                                                        "cpython/abstract.h"};
// More names of the same machinery, for frames without a file: first the starts of names, then whole names.
constexpr std::array<std::string_view, 26> kFoldedBegins{"c10::impl::wrap_kernel_functor",
                                                         "c10::impl::make_boxed_from",
                                                         "method_vectorcall",
                                                         "slot_tp_",
                                                         "slot_nb_",
                                                         "slot_mp_",
                                                         "slot_sq_",
                                                         "cfunction_",
                                                         "vectorcall_",
                                                         "_PyVectorcall",
                                                         "PyVectorcall",
                                                         "PyCFunction_",
                                                         "_PyCFunction",
                                                         "run_eval_code_obj",
                                                         "run_mod",
                                                         "pyrun_",
                                                         "Py_RunMain",
                                                         "Py_BytesMain",
                                                         "_PyRun_",
                                                         "PyRun_",
                                                         "pymain_",
                                                         "__libc_",
                                                         "execute_native_thread_routine",
                                                         "start_thread",
                                                         "__clone",
                                                         "pthread_"};
constexpr std::array<std::string_view, 5> kFoldedWhole{"_start", "clone", "clone3", "PyCode_NewWithPosOnlyArgs",
                                                       "__xmknodat"};

/// The last part of a path with either kind of slash.
std::string_view baseName(std::string_view path)
{
    const size_t slash = path.find_last_of("/\\");
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool isPythonFile(std::string_view file)
{
    return file.ends_with(".py") || (file.starts_with('<') && file.ends_with('>'));
}

std::string withSlashes(std::string_view path)
{
    std::string out(path);
    std::replace(out.begin(), out.end(), '\\', '/');
    return out;
}

/// The position of the package torch in a path with forward slashes; npos if the path does not contain it.
size_t torchBegin(std::string_view path)
{
    if (path.starts_with("torch/"))
        return 0;
    const size_t at = path.rfind("/torch/");
    return at == std::string_view::npos ? at : at + 1;
}

/// A C++ name up to its parameters or template arguments.
std::string_view headOf(std::string_view name) { return name.substr(0, name.find_first_of("(<")); }

constexpr std::string_view kOps = "at::_ops::";

bool namesOperator(std::string_view name)
{
    const std::string_view head = headOf(name);
    return head.starts_with(kOps) && (head.ends_with("::call") || head.ends_with("::redispatch"));
}

/// The part of a name between its last two "::".
std::string_view lastScope(std::string_view head)
{
    head = head.substr(0, head.rfind("::"));
    const size_t at = head.rfind("::");
    return at == std::string_view::npos ? head : head.substr(at + 2);
}

} // namespace

MemoryStacks::MemoryStacks(const MemorySnapshot &snapshot) : m_snapshot(snapshot), m_flags(snapshot.frames.size())
{
    parallelRanges(m_flags.size(), 4096, [&](size_t first, size_t last) {
        for (size_t frame = first; frame < last; ++frame)
            m_flags[frame] = flagsOf(snapshot.frames[frame]);
    });
}

uint8_t MemoryStacks::flagsOf(const MemoryFrame &frame) const
{
    const std::string_view name = m_snapshot.string(frame.name), file = m_snapshot.string(frame.file);
    uint8_t flags = 0;
    if (isPythonFile(file)) {
        flags |= Python;
        const std::string path = withSlashes(file);
        if (name == "forward")
            flags |= Forward;
        if (path.ends_with("torch/autograd/function.py"))
            flags |= AutogradFunction;
        if (torchBegin(path) != std::string_view::npos)
            flags |= Torch;
        return flags;
    }
    if (namesOperator(name))
        flags |= Operator;
    else if (const std::string_view head = headOf(name);
             head.starts_with("torch::autograd::") && head.ends_with("::apply"))
        flags |= BackwardNode;
    const bool folded = containsAny(name, kFoldedNames) || containsAny(file, kFoldedFiles) ||
                        beginsWithAny(name, kFoldedBegins) ||
                        std::find(kFoldedWhole.begin(), kFoldedWhole.end(), name) != kFoldedWhole.end();
    if (folded)
        flags |= Runtime;
    return flags;
}

void MemoryStacks::read(uint32_t stack, std::vector<Step> &steps) const
{
    steps.clear();
    const auto frames = m_snapshot.stacks.at(stack);
    uint32_t run = 0; // how often the last frame has occurred in a row
    const auto endRun = [&] {
        if (run == 2)
            steps.push_back(steps.back());
        else if (run > 2)
            steps.push_back({steps.back().frame, run - 1});
    };
    for (size_t at = frames.size(); at > 0; --at) {
        const uint32_t frame = frames[at - 1];
        if (isRuntime(frame))
            continue;
        if (run > 0 && steps.back().frame == frame) {
            ++run;
            continue;
        }
        endRun();
        steps.push_back({frame, 0});
        run = 1;
    }
    endRun();
}

std::string MemoryStacks::text(uint32_t frame, bool whole) const
{
    const MemoryFrame &one = m_snapshot.frames[frame];
    const std::string_view name = m_snapshot.string(one.name), file = m_snapshot.string(one.file);
    std::string out(name.empty() ? "(no name)" : name);
    if (!whole && !isPython(frame)) {
        // The parameters start at the first parenthesis outside template arguments that belongs neither to "(anonymous
        // namespace)" nor to "operator()".
        int depth = 0;
        for (size_t at = 0; at < out.size(); ++at) {
            depth += out[at] == '<' ? 1 : out[at] == '>' ? -1 : 0;
            if (out[at] == '(' && depth <= 0 && at > 0 && out.compare(at, 11, "(anonymous ") != 0 &&
                out.compare(at, 3, "()(") != 0) {
                out.resize(at);
                break;
            }
        }
    }
    if (!file.empty() && file != "??") {
        out += ' ';
        out += whole ? file : baseName(file);
        if (one.line > 0)
            out += fmt::format(":{}", one.line);
    }
    return out;
}

std::string MemoryStacks::text(const Step &step, bool whole) const
{
    return step.repeats ? fmt::format("<repeats {} times>", step.repeats) : text(step.frame, whole);
}

void MemoryStacks::modules(uint32_t stack, std::vector<uint32_t> &frames) const
{
    frames.clear();
    const auto all = m_snapshot.stacks.at(stack);
    uint8_t caller = 0; // the flags of the next outer Python frame
    for (size_t at = all.size(); at > 0; --at) {
        const uint32_t frame = all[at - 1];
        if (!(m_flags[frame] & Python))
            continue;
        if ((m_flags[frame] & Forward) && !(caller & AutogradFunction))
            frames.push_back(frame);
        caller = m_flags[frame];
    }
}

std::string MemoryStacks::moduleText(uint32_t frame) const
{
    const std::string path = withSlashes(m_snapshot.string(m_snapshot.frames[frame].file));
    const std::string_view base = baseName(path);
    if (contains(path, "torch/nn/modules/"))
        return fmt::format("torch.nn {}", base.substr(0, base.rfind('.')));
    return fmt::format("{}:{}", base, m_snapshot.frames[frame].line);
}

void MemoryStacks::operators(uint32_t stack, std::vector<uint32_t> &frames) const
{
    frames.clear();
    const auto all = m_snapshot.stacks.at(stack);
    for (size_t at = all.size(); at > 0; --at)
        if (const uint32_t frame = all[at - 1]; m_flags[frame] & (Operator | BackwardNode))
            if (frames.empty() || operatorText(frames.back()) != operatorText(frame))
                frames.push_back(frame);
    if (!frames.empty())
        return;
    for (const uint32_t frame : all) {
        if (isRuntime(frame))
            continue;
        if ((m_flags[frame] & Python) && (m_flags[frame] & Torch))
            frames.push_back(frame);
        return;
    }
}

std::string MemoryStacks::operatorText(uint32_t frame) const
{
    const MemoryFrame &one = m_snapshot.frames[frame];
    const std::string_view name = m_snapshot.string(one.name);
    if (m_flags[frame] & Operator)
        return fmt::format("aten::{}", lastScope(headOf(name)));
    if (m_flags[frame] & BackwardNode)
        return std::string(lastScope(headOf(name)));
    std::string module = withSlashes(m_snapshot.string(one.file));
    module = module.substr(torchBegin(module));
    module.resize(module.size() - std::string_view(".py").size());
    std::replace(module.begin(), module.end(), '/', '.');
    return fmt::format("{}.{}", module, name);
}

} // namespace riffle
