// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <string>

namespace riffle::collector {

/// The path of a library that the process has loaded and whose file name starts with the prefix; empty if there is
/// none.
std::string loadedLibrary(const char *prefix);
/// A handle of that library; null if there is none. Never loads a library.
void *loadedHandle(const char *prefix);

/// Calls `visit` for every loaded library until it returns something other than 0. It must neither call code of the
/// program nor allocate much: forks wait meanwhile.
void visitLibraries(int (*visit)(dl_phdr_info *info, size_t bytes, void *data), void *data);

/// Looks a function up in the library; false, and `function` null, if it is not there.
template <typename Function>
bool findFunction(void *library, const char *name, Function *&function)
{
    function = library ? reinterpret_cast<Function *>(dlsym(library, name)) : nullptr;
    return function != nullptr;
}

} // namespace riffle::collector
