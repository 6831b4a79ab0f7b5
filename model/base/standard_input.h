// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <cstddef>
#include <span>
#include <stop_token>

namespace riffle {

/// Reads the next bytes of standard input, as soon as there are any, and returns their number: 0 at its end. While
/// there are none, looks at the token ten times per second.
Result<size_t> readStandardInput(std::span<char> into, const std::stop_token &stop);

} // namespace riffle
