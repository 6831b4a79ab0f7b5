// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The parts of a C++ function's name as profilers write it: demangled, or mangled by the Itanium ABI. A mangled name
/// is not demangled; only the identifiers and numbers in it are read, because a demangler's output can be exponential
/// in its input, and the names of the C++ kernel libraries are too long for the system's demangler.
struct FunctionName {
    /// The qualified name without return type, template arguments, parameters and anonymous namespaces:
    /// "at::native::reduce_kernel". A text that is not a C++ function ("Memcpy HtoD (Pageable -> Device)") is kept
    /// unchanged.
    std::string qualified;
    /// The arguments of the name's own template, in order; for a mangled name, the names and numbers in its arguments.
    std::vector<std::string_view> templateArguments;
    bool mangled = false;
};

/// Splits a name. Time and space are linear in the length of the text, whatever it contains. The views point into it.
FunctionName functionName(std::string_view text);

} // namespace riffle
