// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_runtime.h"
#include "riffle/stacks_way.h"

#include <string>

namespace riffle::collector {

/// The interpreter of this process, once the Python part has called riffle_python_stacks(1); until then null. Never
/// destroyed: threads may use it until the process has ended.
PythonRuntime *attachedPython();

/// For riffle_python_stacks(). The first one returns why stacks cannot be read; an empty text if they can.
std::string allowPythonStacks();
void forbidPythonStacks();
/// The same as the first one, soon, by the main thread, which then holds the GIL. Any thread may call it.
void allowPythonStacksSoon();
void forkedPythonStacks(); ///< in the child of a fork

/// The sentence of a log about Python stacks.
struct PythonStacksSaid {
    const char *text;
    bool isRefusal; ///< this interpreter's stacks cannot be read
};
PythonStacksSaid pythonStacksSaid(StacksWay way);

} // namespace riffle::collector
