// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_stacks.h"

#include <dlfcn.h>
#include <exception>
#include <memory>

namespace riffle::collector {

namespace {

std::atomic<PythonRuntime *> g_python{nullptr};
std::atomic<const char *> g_refusal{nullptr}; ///< why this interpreter's stacks cannot be read

} // namespace

PythonRuntime *attachedPython() { return g_python.load(std::memory_order_acquire); }

std::string allowPythonStacks()
{
    // Two threads cannot be here at the same time, because the caller holds the GIL.
    if (!attachedPython()) {
        auto python = std::make_unique<PythonRuntime>();
        const char *why = "";
        if (!python->attach(why)) {
            g_refusal.store(why, std::memory_order_release);
            return why;
        }
        g_python.store(python.release(), std::memory_order_release);
    }
    attachedPython()->allow();
    return {};
}

void allowPythonStacksSoon()
{
    const auto call = [](void *) {
        try {
            allowPythonStacks();
        } catch (const std::exception &) {
            // Out of memory: there are no stacks.
        }
        return 0;
    };
    if (void *found = dlsym(RTLD_DEFAULT, "Py_AddPendingCall"))
        reinterpret_cast<int (*)(int (*)(void *), void *)>(found)(call, nullptr);
}

void forbidPythonStacks()
{
    if (PythonRuntime *python = attachedPython())
        python->forbid();
}

void forkedPythonStacks()
{
    if (PythonRuntime *python = attachedPython())
        python->forked();
}

PythonStacksSaid pythonStacksSaid(StacksWay way)
{
    if (const PythonRuntime *python = attachedPython(); python && way == StacksWay::Sampled) {
        if (python->threads().interpreter)
            return {"sampled by a thread of the collector", false};
        return {"Python stacks are not sampled: this Python keeps its threads in an unknown way.", true};
    }
    if (attachedPython())
        return {"recorded at the start of each outermost operator", false};
    if (const char *why = g_refusal.load(std::memory_order_acquire))
        return {why, true};
    return {"Python stacks are not recorded: Riffle's Python part has not asked for them in this process.", false};
}

} // namespace riffle::collector
