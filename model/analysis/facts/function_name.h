// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The parts of a C++ function's name as profilers write it: demangled, or mangled by the Itanium ABI (only
/// the names in it are read: a demangler's output can be exponential in its input, and the names of the C++
/// kernel libraries are longer than the system's demangler takes).
struct FunctionName {
    /// Qualified name without return type, template arguments, parameters and anonymous namespaces:
    /// "at::native::reduce_kernel". What is no C++ function ("Memcpy HtoD (Pageable -> Device)") stays as it
    /// is.
    std::string qualified;
    /// The arguments of the name's own template, in their order; of a mangled name the names and numbers in
    /// its arguments.
    std::vector<std::string_view> templateArguments;
    bool mangled = false;
};

/// In time and space linear in the text, whatever it is; views point into it.
FunctionName functionName(std::string_view text);

} // namespace riffle
