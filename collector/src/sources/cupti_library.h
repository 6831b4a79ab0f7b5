// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/cupti_abi.h"

#include <string>

namespace riffle::collector {

/// The CUPTI that the process has loaded itself. Never another one: two copies in a process exclude each other.
struct CuptiLibrary {
    std::string path;
    uint32_t version = 0;
    cupti::Functions functions{};
};

/// Whether a CUDA driver works in the process. CUPTI must not be called without: some versions crash then. `error` says
/// what is missing. `starts`: from within cuInit(), when the driver itself cannot be asked.
bool cudaDriverWorks(bool starts, std::string &error);
/// Finds it among the loaded libraries; `error` says what is missing. False as long as there is none.
bool findCupti(CuptiLibrary &library, std::string &error);
/// CUPTI's own words for a result.
std::string resultText(const CuptiLibrary &library, cupti::Result result);

} // namespace riffle::collector
