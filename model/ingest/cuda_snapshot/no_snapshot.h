// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace riffle {

/// Returns a sentence for the user about a file that is not a snapshot of PyTorch's allocators: what it is, judged by
/// its first bytes, and how to read it.
std::string whyNoSnapshot(std::string_view head);

} // namespace riffle
