// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/log_writer.h"

namespace riffle::test {

/// The bundled log: eight steps of a small model as the collector records them, the sixth of which waits for its data.
/// Always the same bytes.
LogFileText sampleLog();

} // namespace riffle::test
