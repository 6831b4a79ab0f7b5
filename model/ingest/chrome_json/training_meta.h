// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace riffle {

/// What a category of Kineto (and of the writers that speak like it) says about an event.
struct CategoryTraits {
    bool device = false;     ///< happens on a device: its lane is a stream
    bool annotation = false; ///< a user annotation, on the host or copied onto a stream
    bool paddle = false;     ///< as Paddle writes it, whose names end with a duration
};

/// Traits of a category, old spellings included (Kernel, Memcpy, …). Decided per category, not per pid: one pid can be
/// a GPU's index and a process at once.
CategoryTraits traitsOf(std::string_view category);

} // namespace riffle
