// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/frame_class.h"

#include "model/base/ascii.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace riffle {

namespace {

constexpr std::array<std::string_view, 12> kTorchRoots{
    "torch/",     "torchvision/", "torchaudio/",       "torchtext/", "functorch/", "triton/",
    "torch_xla/", "torch_npu/",   "torchtitan/torch/", "caffe2/",    "c10/",       "aten/"};
constexpr std::array<std::string_view, 34> kLibraryRoots{
    "transformers/", "accelerate/",   "deepspeed/", "lightning/", "pytorch_lightning/",
    "numpy/",        "scipy/",        "pandas/",    "datasets/",  "tokenizers/",
    "peft/",         "diffusers/",    "timm/",      "apex/",      "flash_attn/",
    "xformers/",     "jax/",          "jaxlib/",    "flax/",      "tensorflow/",
    "paddle/",       "einops/",       "PIL/",       "cv2/",       "huggingface_hub/",
    "hydra/",        "matplotlib/",   "omegaconf/", "pydantic/",  "safetensors/",
    "sklearn/",      "torchmetrics/", "tqdm/",      "wandb/"};
/// The modules of Python's standard library that are single files, sorted. Those whose names a user's script may well
/// have (trace.py, profile.py, code.py) are left out.
constexpr std::array<std::string_view, 104> kStandardFiles{"__future__",
                                                           "_collections_abc",
                                                           "_compression",
                                                           "_markupbase",
                                                           "_py_abc",
                                                           "_pydecimal",
                                                           "_pyio",
                                                           "_sitebuiltins",
                                                           "_strptime",
                                                           "_threading_local",
                                                           "_weakrefset",
                                                           "abc",
                                                           "argparse",
                                                           "ast",
                                                           "base64",
                                                           "bdb",
                                                           "bisect",
                                                           "bz2",
                                                           "cProfile",
                                                           "codecs",
                                                           "configparser",
                                                           "contextlib",
                                                           "contextvars",
                                                           "copy",
                                                           "copyreg",
                                                           "csv",
                                                           "dataclasses",
                                                           "datetime",
                                                           "decimal",
                                                           "difflib",
                                                           "dis",
                                                           "enum",
                                                           "filecmp",
                                                           "fnmatch",
                                                           "fractions",
                                                           "functools",
                                                           "genericpath",
                                                           "getpass",
                                                           "gettext",
                                                           "glob",
                                                           "gzip",
                                                           "hashlib",
                                                           "heapq",
                                                           "hmac",
                                                           "inspect",
                                                           "io",
                                                           "ipaddress",
                                                           "keyword",
                                                           "linecache",
                                                           "locale",
                                                           "lzma",
                                                           "mimetypes",
                                                           "ntpath",
                                                           "opcode",
                                                           "operator",
                                                           "optparse",
                                                           "os",
                                                           "pickle",
                                                           "pickletools",
                                                           "pkgutil",
                                                           "platform",
                                                           "plistlib",
                                                           "posixpath",
                                                           "pprint",
                                                           "pstats",
                                                           "pty",
                                                           "queue",
                                                           "quopri",
                                                           "random",
                                                           "re",
                                                           "reprlib",
                                                           "runpy",
                                                           "sched",
                                                           "secrets",
                                                           "selectors",
                                                           "shlex",
                                                           "shutil",
                                                           "signal",
                                                           "site",
                                                           "socket",
                                                           "socketserver",
                                                           "sre_compile",
                                                           "sre_constants",
                                                           "sre_parse",
                                                           "ssl",
                                                           "stat",
                                                           "string",
                                                           "struct",
                                                           "subprocess",
                                                           "sysconfig",
                                                           "tarfile",
                                                           "tempfile",
                                                           "textwrap",
                                                           "threading",
                                                           "tokenize",
                                                           "traceback",
                                                           "tracemalloc",
                                                           "types",
                                                           "typing",
                                                           "uuid",
                                                           "warnings",
                                                           "weakref",
                                                           "zipfile",
                                                           "zipimport"};
/// The packages of the standard library, sorted.
constexpr std::array<std::string_view, 23> kStandardPackages{
    "asyncio", "collections", "concurrent",      "ctypes",  "email",   "encodings", "html",   "http",      "importlib",
    "json",    "logging",     "multiprocessing", "pathlib", "re",      "sqlite3",   "string", "sysconfig", "unittest",
    "urllib",  "xml",         "xmlrpc",          "zipfile", "zoneinfo"};

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

/// True for a path from the folder of the standard library on.
bool isStandardModule(std::string_view file)
{
    if (const size_t slash = file.find('/'); slash != file.npos)
        return std::ranges::binary_search(kStandardPackages, file.substr(0, slash));
    return file.ends_with(".py") && std::ranges::binary_search(kStandardFiles, file.substr(0, file.size() - 3));
}

bool isOfStandardLibrary(std::string_view file)
{
    if (contains(file, "/lib/python3") || contains(file, "/lib64/python3") || isStandardModule(file))
        return true;
    // Windows has no version below the folder "Lib", whose case differs.
    if (file.size() < 2 || file[1] != ':')
        return false;
    constexpr std::string_view kFolder = "/lib/";
    const size_t at = asciiLower(file).rfind(kFolder);
    return at != std::string::npos && isStandardModule(file.substr(at + kFolder.size()));
}

FrameClass classOfPath(std::string_view file)
{
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
    return isOfStandardLibrary(file) ? FrameClass::Runtime : FrameClass::User;
}

} // namespace

FrameClass classifyFrame(std::string_view file, std::string_view function)
{
    if (file.empty()) {
        if (function.starts_with("nn.Module: "))
            return FrameClass::User;
        return contains(function, "torch") ? FrameClass::Torch : FrameClass::Runtime;
    }
    if (!contains(file, "\\"))
        return classOfPath(file);
    std::string slashed(file);
    std::ranges::replace(slashed, '\\', '/');
    return classOfPath(slashed);
}

FrameText splitFrame(std::string_view text)
{
    text = trimmed(text);
    for (size_t close = text.find(')'); close != text.npos; close = text.find(')', close + 1)) {
        const size_t open = text.rfind('(', close);
        if (open == text.npos || open == 0 || close == open + 1)
            continue;
        int line = 0;
        const auto [end, problem] = std::from_chars(text.data() + open + 1, text.data() + close, line);
        if (problem != std::errc() || end != text.data() + close)
            continue;
        std::string_view rest = text.substr(close + 1);
        if (rest.starts_with(":"))
            rest.remove_prefix(1);
        return {trimmed(text.substr(0, open)), line, trimmed(rest)};
    }
    return {{}, 0, text};
}

} // namespace riffle
