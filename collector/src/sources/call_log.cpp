// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/call_log.h"

#include "collector/src/clock.h"
#include "collector/src/thread_log.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

namespace riffle::collector {

namespace {

// The places in a PyCFunctionObject and its PyMethodDef are the same in all versions.
constexpr uint32_t kFunctionMethod = 16, kMethodName = 0, kMethodCall = 8;

std::atomic<uint32_t> g_namesEpoch{0}; ///< changes when threads must write their names again

uint64_t addressOf(const void *frame) { return reinterpret_cast<uint64_t>(frame); }

bool isRiffles(std::string_view file) { return file.find("/riffle_profiler/_") != std::string_view::npos; }

} // namespace

void forgetCallNames() { g_namesEpoch.fetch_add(1, std::memory_order_relaxed); }

uint32_t CallLog::define(ThreadLog &to, std::string_view name)
{
    static std::atomic<uint32_t> next{1}; // ids are the same in all threads, so that a reader needs one table
    const uint32_t id = next.fetch_add(1, std::memory_order_relaxed);
    return to.callName(id, name) ? id : kUnwritten;
}

uint32_t CallLog::idOfCode(const CallInterpreter &python, ThreadLog &to, void *frame)
{
    void *object = python.code(frame);
    python.release(object); // the frame holds it
    const auto code = static_cast<PythonAddress>(object);
    const PythonLayout &layout = *python.layout;
    const uint64_t mark = markOfPythonCode(layout, python.types, code);
    if (const uint32_t *known = m_codes.find(code, mark))
        return *known;
    const auto text = [&](uint32_t offset, std::span<char> buffer) {
        return pythonText(layout, python.types, DirectMemory::read<PythonAddress>(code + offset), buffer);
    };
    std::string_view file = text(layout.codeFile, m_file);
    uint32_t id = PythonCodes::kHidden;
    if (!isRiffles(file)) {
        for (const std::string &prefix : python.prefixes)
            if (file.starts_with(prefix)) {
                file.remove_prefix(prefix.size());
                break;
            }
        const std::string_view name = text(layout.codeName, m_name);
        const int length = std::snprintf(m_text, sizeof(m_text), "%.*s(%d): %.*s", static_cast<int>(file.size()),
                                         file.data(), DirectMemory::read<int32_t>(code + layout.codeFirstLine),
                                         static_cast<int>(name.size()), name.data());
        id = define(to, {m_text, static_cast<size_t>(length)});
    }
    if (id != kUnwritten)
        m_codes.add(code, mark, id);
    return id;
}

/// A function of C is known by its PyMethodDef, because Python makes an object for each use of a method.
uint32_t CallLog::idOfFunction(const CallInterpreter &python, ThreadLog &to, void *function)
{
    const auto method = DirectMemory::read<PythonAddress>(static_cast<PythonAddress>(function) + kFunctionMethod);
    const uint64_t mark = DirectMemory::read<uint64_t>(method + kMethodName) * 0x9E3779B97F4A7C15u ^
                          DirectMemory::read<uint64_t>(method + kMethodCall);
    if (const uint32_t *known = m_codes.find(method, mark))
        return *known;
    void *text = python.repr(function);
    const char *characters = text ? python.utf8(text) : nullptr;
    std::string_view name = characters ? characters : "<built-in function ?>";
    // The address of the first object whose method was called says nothing, and differs from run to run.
    const size_t at = name.rfind(" at 0x");
    const bool hasAddress = at != std::string_view::npos && name.ends_with('>');
    const int length = std::snprintf(m_text, sizeof(m_text), "%.*s%s",
                                     static_cast<int>(std::min(hasAddress ? at : name.size(), sizeof(m_text) - 2)),
                                     name.data(), hasAddress ? ">" : "");
    const uint32_t id = define(to, {m_text, static_cast<size_t>(length)});
    if (text)
        python.release(text);
    if (!characters)
        python.forgetError();
    if (id != kUnwritten)
        m_codes.add(method, mark, id);
    return id;
}

void CallLog::push(ThreadLog &to, uint64_t call, uint32_t id, int64_t time)
{
    if (m_depth == kMost) {
        ++m_beyond;
        return;
    }
    if (id == PythonCodes::kHidden)
        call |= kHidden;
    else if (id != kUnwritten && to.beginCall(id, m_period, time ? time : now()))
        call |= kWritten;
    m_open[m_depth++] = call;
}

/// Ends a call, and those inside it whose end was not seen. A call that is not open began before us.
void CallLog::pop(ThreadLog &to, uint64_t call)
{
    if (m_beyond) {
        --m_beyond;
        return;
    }
    uint32_t at = m_depth;
    while (at > 0 && (m_open[at - 1] & ~(kWritten | kHidden)) != call) {
        if ((call & kOfC) && !(m_open[at - 1] & kOfC))
            return; // a function of C is the innermost call of its frame
        --at;
    }
    if (at == 0)
        return;
    while (m_depth >= at)
        if (m_open[--m_depth] & kWritten)
            to.endCall();
}

void CallLog::event(const CallInterpreter &python, ThreadLog &to, const CallPeriod &period, void *frame, int what,
                    void *argument)
{
    if (m_period != period.number) [[unlikely]] {
        begin(python, to, period, frame, what, argument);
    } else if (const uint32_t epoch = g_namesEpoch.load(std::memory_order_relaxed); epoch != m_epoch) [[unlikely]] {
        m_codes.forget();
        m_epoch = epoch;
    }
    switch (what) {
    case kCall: push(to, addressOf(frame), idOfCode(python, to, frame), 0); break;
    case kReturn: pop(to, addressOf(frame)); break;
    case kCCall:
        if (m_depth > 0 && (m_open[m_depth - 1] & kHidden)) {
            push(to, addressOf(frame) | kOfC, PythonCodes::kHidden, 0);
            break;
        }
        push(to, addressOf(frame) | kOfC, idOfFunction(python, to, argument), 0);
        if (DirectMemory::read<void *>(
                DirectMemory::read<PythonAddress>(static_cast<PythonAddress>(argument) + kFunctionMethod) +
                kMethodCall) == python.setProfileMeth) [[unlikely]]
            leave(to); // if it does not, the next event begins again
        break;
    case kCReturn:
    case kCException: pop(to, addressOf(frame) | kOfC); break;
    default: break;
    }
}

/// Opens the calls in which the thread is at its first event.
void CallLog::begin(const CallInterpreter &python, ThreadLog &to, const CallPeriod &period, void *frame, int what,
                    void *argument)
{
    uint32_t written = 0;
    for (uint32_t at = 0; at < m_depth; ++at)
        written += (m_open[at] & kWritten) != 0;
    to.forgetCalls(written); // the thread that writes the log has ended them with their period
    const int64_t time = m_isLeft ? now() : std::max(period.start, m_joined);
    if (m_isLeft)
        to.add(RecordKind::GapEnd, nullptr, {}, kCallSource);
    m_isLeft = false;
    if (const uint32_t epoch = g_namesEpoch.load(std::memory_order_relaxed); epoch != m_epoch) {
        m_codes.forget();
        m_epoch = epoch;
    }
    m_period = period.number;
    m_depth = m_beyond = 0;
    // The chain holds its frames, so that a reference to one is not needed for longer.
    const auto outer = [&](void *inner) {
        void *found = python.back(inner);
        if (found)
            python.release(found);
        return found;
    };
    void *const innermost = what == kCall ? outer(frame) : frame;
    uint32_t count = 0;
    for (void *at = innermost; at; at = outer(at))
        ++count;
    const uint32_t deeper = count > kMost ? count - kMost : 0;
    uint32_t place = count;
    for (void *at = innermost; at; at = outer(at))
        if (--place < kMost)
            m_open[place] = addressOf(at);
    for (uint32_t at = 0; at < count - deeper; ++at)
        push(to, m_open[at], idOfCode(python, to, reinterpret_cast<void *>(m_open[at])), time);
    m_beyond = deeper;
    if (what == kCReturn || what == kCException)
        push(to, addressOf(frame) | kOfC, idOfFunction(python, to, argument), time);
}

void CallLog::leave(ThreadLog &to)
{
    if (m_period == 0 || m_isLeft)
        return;
    while (m_depth > 0)
        if (m_open[--m_depth] & kWritten)
            to.endCall();
    m_period = m_beyond = 0;
    m_isLeft = true;
    to.add(RecordKind::GapBegin, nullptr, "the program's own profile function", kCallSource);
}

} // namespace riffle::collector
