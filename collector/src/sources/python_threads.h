// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_copies.h"

#include <vector>

namespace riffle::collector {

/// Where the states of Python's threads are.
struct PythonThreadList {
    PythonAddress interpreter = nullptr; ///< the main one; null: its threads cannot be found
    uint64_t newest = 0;                 ///< the place of the newest thread state in the interpreter
    /// 3.10: the place of the system's number in what pthread_self() points to.
    uint32_t numberInThread = 0;
};

/// Finds the list and compares it with what Python's own functions say. The caller holds the GIL; `own` is its state.
PythonThreadList findPythonThreads(const PythonLayout &layout, const void *runtime, PythonAddress own);

/// A thread as Python knows it.
struct PythonThread {
    PythonAddress state;
    uint32_t osThread;
    uint64_t identity; ///< what the state says about its thread; that of a new state may still be its creator's
};

/// The place of that identity in a thread state.
uint32_t placeOfIdentity(const PythonLayout &layout);

/// Reads the list without the GIL, while other threads change it. Returns false if it was never whole; then `threads`
/// has those that were found last.
bool readPythonThreads(const PythonLayout &layout, const PythonThreadList &list, CopiedMemory &memory,
                       std::vector<PythonThread> &threads);

} // namespace riffle::collector
