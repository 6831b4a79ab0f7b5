// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_stack_log.h"

namespace riffle::collector {

namespace {

/// Ids are the same in all threads of the process, so that a reader needs one table.
uint32_t nextId()
{
    static std::atomic<uint32_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

std::atomic<uint32_t> g_epoch{0}; ///< changes when threads must write their code objects again

} // namespace

void forgetPythonCodes() { g_epoch.fetch_add(1, std::memory_order_relaxed); }

PythonStackLog::Result PythonStackLog::take(PythonRuntime &runtime, PythonStackSink &sink)
{
    if (!runtime.enter())
        return kNone;
    Result result = kNone;
    if (const PythonAddress state = runtime.threadState()) {
        const uint32_t depth = walkPythonFrames<DirectMemory>(runtime.layout(), state, m_seen);
        if (depth > 0)
            result = m_codes.allocate() ? write(runtime, sink, depth) : kLost;
    }
    runtime.leave();
    return result;
}

PythonStackLog::Result PythonStackLog::write(const PythonRuntime &runtime, PythonStackSink &sink, uint32_t depth)
{
    if (const uint32_t epoch = g_epoch.load(std::memory_order_relaxed); epoch != m_epoch) {
        m_codes.forget();
        m_depth = m_omitted = 0;
        m_epoch = epoch;
    }
    const PythonLayout &layout = runtime.layout();
    const uint32_t omitted = depth > kMaxPythonFrames ? depth - kMaxPythonFrames : 0;
    uint32_t kept = omitted;
    if (m_omitted <= omitted) {
        for (const uint32_t end = std::min(depth, m_depth); kept < end; ++kept) {
            const PythonFrame &seen = m_seen[depth - 1 - kept];
            const Written &written = m_written[kept % kMaxPythonFrames];
            if (seen.code != written.frame.code || seen.instruction != written.frame.instruction ||
                markOfPythonCode(layout, runtime.types(), seen.code) != written.mark)
                break;
        }
    }
    if (kept == depth && depth == m_depth && omitted == m_omitted)
        return kSame;
    uint32_t count = 0;
    for (uint32_t at = kept; at < depth; ++at) {
        const PythonFrame &seen = m_seen[depth - 1 - at];
        const uint64_t mark = markOfPythonCode(layout, runtime.types(), seen.code);
        uint32_t id = 0;
        if (const uint32_t *known = m_codes.find(seen.code, mark)) {
            id = *known;
        } else if (define(runtime, sink, seen.code, id)) {
            m_codes.add(seen.code, mark, id);
        } else {
            m_depth = m_omitted = 0;
            return kLost;
        }
        m_written[at % kMaxPythonFrames] = {seen, mark, id};
        m_places[count++] = {id, instructionOffset(layout, seen)};
    }
    const bool written = sink.stack(kept, omitted, std::span(m_places).first(count));
    m_depth = written ? depth : 0;
    m_omitted = written ? omitted : 0;
    return written ? kChanged : kLost;
}

bool PythonStackLog::define(const PythonRuntime &runtime, PythonStackSink &sink, PythonAddress code, uint32_t &id)
{
    const PythonLayout &layout = runtime.layout();
    id = PythonCodes::kHidden;
    if (DirectMemory::read<const void *>(code + kObjectType) != runtime.types().code)
        return true;
    const auto pointer = [&](uint32_t offset) { return DirectMemory::read<PythonAddress>(code + offset); };
    if (pointer(layout.codeFile) == pointer(layout.codeName)) // the code with which the interpreter calls __init__
        return true;
    const auto text = [&](uint32_t offset, int buffer) {
        return pythonText(layout, runtime.types(), pointer(offset), m_text[buffer]);
    };
    PythonCodeText shown{};
    shown.id = nextId();
    shown.firstLine = DirectMemory::read<int32_t>(code + layout.codeFirstLine);
    shown.name = text(layout.codeName, 0);
    shown.qualifiedName = layout.codeQualifiedName ? text(layout.codeQualifiedName, 1) : shown.name;
    shown.file = text(layout.codeFile, 2);
    shown.lineTable = pythonBytes(runtime.types(), pointer(layout.codeLineTable));
    if (!sink.code(shown))
        return false;
    id = shown.id;
    return true;
}

} // namespace riffle::collector
