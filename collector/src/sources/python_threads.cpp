// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>

namespace riffle::collector {

namespace {

constexpr size_t kMostThreads = 1024;
constexpr size_t kStateBytes = 192; ///< of a thread state, as far as it is read

uint32_t ownNumber() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

/// The place of the calling thread's number in the C library's description of it; 0 if it is not found.
uint32_t placeOfNumber()
{
    constexpr uint32_t kFarthest = 2048;
    const auto thread = reinterpret_cast<PythonAddress>(pthread_self());
    for (uint32_t at = sizeof(void *); at < kFarthest; at += sizeof(uint32_t))
        if (CheckedMemory::read<uint32_t>(thread + at) == ownNumber())
            return at;
    return 0;
}

} // namespace

PythonThreadList findPythonThreads(const PythonLayout &layout, const void *runtime, PythonAddress own)
{
    const auto mainOne = reinterpret_cast<PythonAddress (*)()>(dlsym(RTLD_DEFAULT, "PyInterpreterState_Main"));
    const auto first =
        reinterpret_cast<PythonAddress (*)(PythonAddress)>(dlsym(RTLD_DEFAULT, "PyInterpreterState_ThreadHead"));
    const auto next = reinterpret_cast<PythonAddress (*)(PythonAddress)>(dlsym(RTLD_DEFAULT, "PyThreadState_Next"));
    if (!mainOne || !first || !next)
        return {};
    PythonThreadList list{mainOne(), pythonThreadListOffset(layout, runtime), 0};
    if (!list.interpreter ||
        CheckedMemory::read<PythonAddress>(list.interpreter + list.newest) != first(list.interpreter))
        return {};
    bool found = false;
    PythonAddress before = nullptr, state = first(list.interpreter);
    for (size_t count = 0; state && count < kMostThreads; before = state, state = next(state), ++count) {
        found |= state == own;
        if (CheckedMemory::read<PythonAddress>(state + kThreadInterpreter) != list.interpreter ||
            CheckedMemory::read<PythonAddress>(state + kThreadPrevious) != before ||
            CheckedMemory::read<PythonAddress>(state + kThreadNext) != next(state))
            return {};
    }
    if (!found || CheckedMemory::read<uint64_t>(own + layout.threadIdent) != reinterpret_cast<uint64_t>(pthread_self()))
        return {};
    if (layout.threadNative)
        return CheckedMemory::read<uint64_t>(own + layout.threadNative) == ownNumber() ? list : PythonThreadList{};
    list.numberInThread = placeOfNumber();
    return list.numberInThread ? list : PythonThreadList{};
}

uint32_t placeOfIdentity(const PythonLayout &layout)
{
    return layout.threadNative ? layout.threadNative : layout.threadIdent;
}

bool readPythonThreads(const PythonLayout &layout, const PythonThreadList &list, CopiedMemory &memory,
                       std::vector<PythonThread> &threads)
{
    constexpr int kAttempts = 4;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        threads.clear();
        PythonAddress state = nullptr, before = nullptr;
        bool whole = memory.readNow(list.interpreter + list.newest, state);
        for (size_t count = 0; whole && state && count < kMostThreads; ++count) {
            std::array<std::byte, kStateBytes> copy;
            const auto field = [&](uint32_t offset) { return DirectMemory::read<uint64_t>(copy.data() + offset); };
            // A state belongs to the interpreter and names the one before it, unless it has just been freed.
            if (!isAligned(state) || !memory.readNow(state, copy.data(), copy.size()) ||
                field(kThreadInterpreter) != reinterpret_cast<uint64_t>(list.interpreter) ||
                field(kThreadPrevious) != reinterpret_cast<uint64_t>(before)) {
                whole = false;
                break;
            }
            uint32_t number = 0;
            if (layout.threadNative)
                number = static_cast<uint32_t>(field(layout.threadNative));
            else if (!memory.readNow(reinterpret_cast<PythonAddress>(field(layout.threadIdent)) + list.numberInThread,
                                     number))
                number = 0;
            if (number != 0) // 0: a state that has no thread yet, or no more
                threads.push_back({state, number, field(placeOfIdentity(layout))});
            before = state;
            state = reinterpret_cast<PythonAddress>(field(kThreadNext));
        }
        if (whole)
            return true;
    }
    return false;
}

} // namespace riffle::collector
