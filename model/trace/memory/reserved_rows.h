// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"

#include <cstdint>

namespace riffle {

class Trace;

/// Returns, for each row of Trace::memory, 1 if it is memory that the allocator rather than the program takes or frees
/// (Paddle's Reserved events), else 0.
BigVector<uint8_t> reservedRows(const Trace &trace);

} // namespace riffle
