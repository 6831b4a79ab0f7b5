// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/clock.h"
#include "collector/src/sources/python_lines.h"
#include "collector/src/sources/python_stack_log.h"
#include "collector/src/sources/python_stack_tree.h"

#include <map>
#include <string>
#include <vector>

// A library for Python tests: it walks the frames of the thread that calls it, keeps what the walks wrote as a reader
// of the log would, and gives stacks as text.

using namespace riffle::collector;

namespace {

PythonRuntime runtime;
PythonLineFormat layoutFormat()
{
    return runtime.layout().instructionIsIndex ? PythonLineFormat::Pairs : PythonLineFormat::Places;
}

struct Code {
    int32_t firstLine;
    std::string name, qualifiedName, file;
    std::vector<std::byte> lines;
};

/// Does nothing with what is written, for measurements.
struct NoSink final : PythonStackSink {
    bool code(const PythonCodeText &) override { return true; }
    bool stack(uint32_t, uint32_t, std::span<const PythonPlace>) override { return true; }
};

struct Node {
    uint32_t parent;
    std::string name, file;
    int32_t firstLine, line;
};

/// Puts the stacks together again.
struct Reader final : PythonStackSink {
    std::map<uint32_t, Code> codes;
    std::vector<PythonPlace> places;
    uint32_t omitted = 0;
    bool full = false; ///< no room
    PythonStackTree tree{layoutFormat()};
    std::map<uint32_t, Node> nodes;

    bool code(const PythonCodeText &text) override
    {
        if (full)
            return false;
        tree.code(text);
        codes[text.id] = {text.firstLine,
                          std::string(text.name),
                          std::string(text.qualifiedName),
                          std::string(text.file),
                          {text.lineTable.begin(), text.lineTable.end()}};
        return true;
    }
    bool stack(uint32_t kept, uint32_t without, std::span<const PythonPlace> frames) override
    {
        if (full)
            return false;
        omitted = without;
        tree.stack(1, kept, without, frames);
        places.resize(kept);
        places.insert(places.end(), frames.begin(), frames.end());
        return true;
    }
};

struct Thread {
    PythonStackLog log;
    Reader reader;
    std::string text;
};
Thread &thread()
{
    thread_local Thread own;
    return own;
}

} // namespace

extern "C" {

/// Called with the GIL. An empty text, or why there are no stacks.
const char *probe_attach()
{
    const char *why = "";
    if (!runtime.attach(why))
        return why;
    runtime.allow();
    return "";
}
void probe_allow(int on) { on ? runtime.allow() : runtime.forbid(); }
void probe_full(int on) { thread().reader.full = on; }
int probe_walk() { return thread().log.take(runtime, thread().reader); }
unsigned probe_codes() { return static_cast<unsigned>(thread().reader.codes.size()); }

/// The stack of the calling thread, the outermost frame first: a line with the number of frames that are omitted, and
/// one per frame with file, line, name, qualified name and first line, separated by tabs. Null without a stack.
const char *probe_stack()
{
    Thread &own = thread();
    const auto result = own.log.take(runtime, own.reader);
    if (result != PythonStackLog::kSame && result != PythonStackLog::kChanged)
        return nullptr;
    own.text = std::to_string(own.reader.omitted) + "\n";
    for (size_t i = own.reader.omitted; i < own.reader.places.size(); ++i) {
        const PythonPlace place = own.reader.places[i];
        if (place.code == PythonCodes::kHidden)
            continue;
        const Code &code = own.reader.codes.at(place.code);
        own.text += code.file + "\t" +
                    std::to_string(pythonLine(layoutFormat(), code.lines, code.firstLine, place.offset)) + "\t" +
                    code.name + "\t" + code.qualifiedName + "\t" + std::to_string(code.firstLine) + "\n";
    }
    return own.text.c_str();
}

/// The same stack from the tree, or why it is not the same; without first lines and names that are not qualified.
const char *probe_tree()
{
    Thread &own = thread();
    const auto result = own.log.take(runtime, own.reader);
    if (result != PythonStackLog::kSame && result != PythonStackLog::kChanged)
        return nullptr;
    auto &nodes = own.reader.nodes;
    uint32_t id = own.reader.tree.idOf(1, [&](const PythonStackNode &node) {
        nodes[node.id] = {node.parent, std::string(node.name), std::string(node.file), node.firstLine, node.line};
    });
    own.text.clear();
    for (; id; id = nodes.at(id).parent) {
        const Node &node = nodes.at(id);
        own.text = node.file + "\t" + std::to_string(node.line) + "\t" + node.name + "\t" +
                   std::to_string(node.firstLine) + "\n" + own.text;
    }
    return own.text.c_str();
}
void probe_next_file()
{
    thread().reader.tree.forgetNodes();
    thread().reader.nodes.clear();
}
void probe_forget_codes() { forgetPythonCodes(); }

/// The ns per walk of an unchanged stack.
double probe_unchanged(int count)
{
    static thread_local PythonStackLog log;
    NoSink sink;
    log.take(runtime, sink);
    const int64_t start = now();
    for (int i = 0; i < count; ++i)
        log.take(runtime, sink);
    return static_cast<double>(now() - start) / count;
}

/// For a loop in Python that changes the stack: the walks since the last call, their ns, and what they wrote.
int64_t spent = 0, walks = 0, changed = 0;
void probe_timed()
{
    static thread_local PythonStackLog log;
    NoSink sink;
    const int64_t start = now();
    const auto result = log.take(runtime, sink);
    spent += now() - start;
    ++walks;
    changed += result == PythonStackLog::kChanged;
}
double probe_spent()
{
    const double each = walks ? static_cast<double>(spent) / static_cast<double>(walks) : 0;
    spent = walks = changed = 0;
    return each;
}
}
