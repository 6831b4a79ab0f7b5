// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/client/rank.h"
#include "collector/client/settings.h"

#include <map>
#include <string>
#include <vector>

namespace riffle::record {

/// The absolute paths of the parts that a recorded job loads.
struct Parts {
    std::string library; ///< libriffle_collector.so
    std::string python;  ///< folder of the Python package, which contains startup/; empty if not installed
};

/// Looks for the library at $RIFFLE_COLLECTOR if that is set, otherwise in ../lib, ../lib64 and . relative to the
/// program's folder. Returns false with a message in `error` if it is not found.
bool findParts(const std::string &programFolder, const Lookup &lookup, Parts &parts, std::string &error);
/// The folder of the running program.
std::string programFolder();

/// The variables that are added to our environment for a recorded job.
struct Environment {
    std::map<std::string, std::string> set;
    std::vector<std::string> notes; ///< sentences for the user about existing settings and what they mean
};

/// The environment for a job. `recorder` is the folder where the job's processes report their progress.
Environment jobEnvironment(const Settings &settings, const Parts &parts, const std::string &recorder,
                           const Lookup &lookup);

/// The command that compiles the observer of PyTorch's operators for the job, before the job needs it; empty if it is
/// not wanted, or if the job's command does not name the Python that it runs.
std::vector<std::string> observerCommand(const Settings &settings, const Parts &parts);

} // namespace riffle::record
