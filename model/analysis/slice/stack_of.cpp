// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/stack_of.h"

#include "model/analysis/slice/slice_links.h"
#include "model/base/ascii.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace riffle {

namespace {

constexpr size_t kMaxFrames = 10000;

constexpr std::array<std::string_view, 12> kTorchRoots{
    "torch/",     "torchvision/", "torchaudio/",       "torchtext/", "functorch/", "triton/",
    "torch_xla/", "torch_npu/",   "torchtitan/torch/", "caffe2/",    "c10/",       "aten/"};
constexpr std::array<std::string_view, 22> kLibraryRoots{
    "transformers/", "accelerate/", "deepspeed/", "lightning/", "pytorch_lightning/",
    "numpy/",        "scipy/",      "pandas/",    "datasets/",  "tokenizers/",
    "peft/",         "diffusers/",  "timm/",      "apex/",      "flash_attn/",
    "xformers/",     "jax/",        "jaxlib/",    "flax/",      "tensorflow/",
    "paddle/",       "einops/"};
constexpr std::array<std::string_view, 16> kRuntimeFiles{"runpy.py",
                                                         "threading.py",
                                                         "contextlib.py",
                                                         "functools.py",
                                                         "queue.py",
                                                         "typing.py",
                                                         "abc.py",
                                                         "copy.py",
                                                         "collections/__init__.py",
                                                         "enum.py",
                                                         "socket.py",
                                                         "selectors.py",
                                                         "subprocess.py",
                                                         "logging/__init__.py",
                                                         "weakref.py",
                                                         "_pydecimal.py"};

template <size_t N>
bool startsWithAny(std::string_view text, const std::array<std::string_view, N> &roots)
{
    return std::any_of(roots.begin(), roots.end(), [&](std::string_view root) { return text.starts_with(root); });
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// The path below site-packages or dist-packages; empty if the file is not installed there.
std::string_view belowPackages(std::string_view file)
{
    for (const std::string_view folder : {"site-packages/", "dist-packages/"}) {
        if (const size_t at = file.rfind(folder); at != file.npos)
            return file.substr(at + folder.size());
    }
    return {};
}

} // namespace

FrameClass classifyFrame(std::string_view file, std::string_view function)
{
    if (file.empty()) {
        if (function.starts_with("nn.Module: "))
            return FrameClass::User;
        return contains(function, "torch") ? FrameClass::Torch : FrameClass::Runtime;
    }
    if (file.starts_with("<") || file == "??" || file.ends_with(".so") || contains(file, ".so."))
        return FrameClass::Runtime;
    if (const std::string_view package = belowPackages(file); !package.empty())
        return startsWithAny(package, kTorchRoots) ? FrameClass::Torch : FrameClass::Library;
    if (startsWithAny(file, kTorchRoots) || contains(file, "/torch/csrc/") || contains(file, "/aten/src/"))
        return FrameClass::Torch;
    for (const std::string_view ending : {".cpp", ".cc", ".c", ".h", ".hpp", ".cu", ".S"}) {
        if (file.ends_with(ending))
            return FrameClass::Runtime;
    }
    if (startsWithAny(file, kLibraryRoots))
        return FrameClass::Library;
    const bool standardLibrary = contains(file, "/lib/python3") || contains(file, "/lib64/python3");
    if (standardLibrary || std::find(kRuntimeFiles.begin(), kRuntimeFiles.end(), file) != kRuntimeFiles.end() ||
        file.starts_with("importlib/") || file.starts_with("multiprocessing/") || file.starts_with("concurrent/") ||
        file.starts_with("asyncio/"))
        return FrameClass::Runtime;
    return FrameClass::User;
}

StackFrame parseFrame(std::string_view text)
{
    text = trimmed(text);
    StackFrame frame;
    frame.text = text;
    frame.function = text;
    // path(12): function
    for (size_t close = text.find(')'); close != text.npos; close = text.find(')', close + 1)) {
        const size_t open = text.rfind('(', close);
        if (open == text.npos || open == 0 || close == open + 1)
            continue;
        int line = 0;
        const auto [end, problem] = std::from_chars(text.data() + open + 1, text.data() + close, line);
        if (problem != std::errc() || end != text.data() + close)
            continue;
        frame.file = trimmed(text.substr(0, open));
        frame.line = line;
        std::string_view rest = text.substr(close + 1);
        if (rest.starts_with(":"))
            rest.remove_prefix(1);
        frame.function = trimmed(rest);
        break;
    }
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
        const auto row = Trace::rowFor(trace.operators.slice, at->id);
        if (row && trace.operators.callStack.at(*row, 0) != 0) {
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
