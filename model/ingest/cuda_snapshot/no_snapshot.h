// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace riffle {

/// What a file that is no snapshot of PyTorch's allocators is, by its begin, and what answers it: a sentence for
/// people.
std::string whyNoSnapshot(std::string_view head);

} // namespace riffle
