// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <string>

namespace riffle::collector {

/// The path of a library that the process has loaded, whose file name begins with the prefix; empty when there is none.
std::string loadedLibrary(const char *prefix);
/// A handle of such a library, null when there is none. Never loads one.
void *loadedHandle(const char *prefix);

/// Looks a function up; whether it is there.
template <typename Function>
bool findFunction(void *library, const char *name, Function *&function)
{
    function = library ? reinterpret_cast<Function *>(dlsym(library, name)) : nullptr;
    return function != nullptr;
}

} // namespace riffle::collector
