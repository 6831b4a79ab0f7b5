// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace riffle::test {

/// The path of a file in the source tree. Only source_path.cpp knows where the tree is, so that clones share the other
/// compiled files.
std::string sourcePath(std::string_view file);

} // namespace riffle::test
