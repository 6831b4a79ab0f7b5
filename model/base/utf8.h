// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace riffle {

/// Length of the well-formed UTF-8 sequence (RFC 3629) that begins at `at`; 0 when there is none: no surrogates,
/// nothing longer than it has to be, nothing above U+10FFFF.
size_t utf8SequenceLength(std::string_view text, size_t at);

} // namespace riffle
