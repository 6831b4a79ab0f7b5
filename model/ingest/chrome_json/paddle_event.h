// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// Parsers for texts that only Paddle's profiler writes.
namespace riffle {

/// Returns "123" for "123(Python)" and "123(C++)", which are the Python and C++ sides of one thread; returns any other
/// text unchanged.
std::string_view paddleThread(std::string_view tid);
/// Removes the same suffixes from a thread's name, such as "thread 123:MainThread(Python)".
std::string_view paddleThreadName(std::string_view name);
/// Returns the name without its duration: "matmul" for "matmul[1.234 ms]".
std::string_view paddleName(std::string_view name);
/// Parses "12.345 us" to ns; nothing for any other text.
std::optional<Ns> paddleTime(std::string_view text);

struct PaddlePlace {
    int32_t deviceType = 0; ///< the same numbers as in MemoryTable
    int32_t deviceId = -1;
};
/// Parses "Place(gpu:0)"; nothing for any other text or if the device type has no number.
std::optional<PaddlePlace> paddlePlace(std::string_view text);

} // namespace riffle
