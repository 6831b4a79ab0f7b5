// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// What Paddle's profiler writes in its own way.
namespace riffle {

/// "123(Python)" and "123(C++)" are one thread, seen from two sides: "123". Everything else stays as it is.
std::string_view paddleThread(std::string_view tid);
/// The same for "thread 123:MainThread(Python)".
std::string_view paddleThreadName(std::string_view name);
/// The name of "matmul[1.234 ms]".
std::string_view paddleName(std::string_view name);
/// "12.345 us" in ns; nothing when it is anything else.
std::optional<Ns> paddleTime(std::string_view text);

struct PaddlePlace {
    int32_t deviceType = 0; ///< as MemoryTable has it
    int32_t deviceId = -1;
};
/// "Place(gpu:0)"; nothing for places that have no number among the types of devices.
std::optional<PaddlePlace> paddlePlace(std::string_view text);

} // namespace riffle
