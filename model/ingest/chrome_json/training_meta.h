// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace riffle {

/// The meaning of an event's category, in traces of Kineto and of other writers that use the same categories.
struct CategoryTraits {
    bool device = false;     ///< runs on a device: its lane is a stream
    bool annotation = false; ///< a user annotation, on the host or copied onto a stream
    bool frame = false;      ///< a call of Python
    bool paddle = false;     ///< a Paddle category, whose events have names that end with a duration
};

/// Returns the traits of a category, including old spellings (Kernel, Memcpy, …). The category decides, not the pid: a
/// pid can be both a GPU's index and a process.
CategoryTraits traitsOf(std::string_view category);

} // namespace riffle
