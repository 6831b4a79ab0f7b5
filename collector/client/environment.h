// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/client/rank.h"
#include "collector/client/settings.h"

#include <map>
#include <string>
#include <vector>

namespace riffle::record {

/// Where the parts are that a recorded job loads; absolute paths.
struct Parts {
    std::string library; ///< libriffle_collector.so
    std::string python;  ///< folder of the Python package and its startup/; empty: not there
};

/// $RIFFLE_COLLECTOR, else in ../lib, ../lib64 or . beside the program's own folder. Sentences in `error`.
bool findParts(const std::string &programFolder, const Lookup &lookup, Parts &parts, std::string &error);
/// Folder of the running program.
std::string programFolder();

/// What a recorded job's environment has more than ours.
struct Environment {
    std::map<std::string, std::string> set;
    std::vector<std::string> notes; ///< what was found there and respected: sentences for the user
};

/// `recorder`: folder where the job's processes tell how far they are.
Environment jobEnvironment(const Settings &settings, const Parts &parts, const std::string &recorder,
                           const Lookup &lookup);

} // namespace riffle::record
