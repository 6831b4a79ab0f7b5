// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/source_path.h"

namespace riffle::test {

std::string sourcePath(std::string_view file) { return std::string(RIFFLE_SOURCE_DIR "/").append(file); }

} // namespace riffle::test
