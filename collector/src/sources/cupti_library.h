// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/cupti_abi.h"

#include <string>

namespace riffle::collector {

/// The CUPTI that the process has loaded itself. Another copy is never loaded, because two copies in one process
/// exclude each other.
struct CuptiLibrary {
    std::string path;
    uint32_t version = 0;
    cupti::Functions functions{};
};

// In both functions below, `error` becomes a fragment that says what is missing.

/// True if a CUDA driver works in the process. Without one, CUPTI must not be called, because some versions crash then.
/// `starts` is true inside cuInit(), when the driver itself cannot be asked.
bool cudaDriverWorks(bool starts, std::string &error);
/// Finds CUPTI among the loaded libraries; false while there is none.
bool findCupti(CuptiLibrary &library, std::string &error);
/// CUPTI's own text for a result.
std::string resultText(const CuptiLibrary &library, cupti::Result result);

} // namespace riffle::collector
