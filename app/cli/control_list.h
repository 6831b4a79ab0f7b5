// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/client/control_client.h"

#include <vector>

namespace riffle::cli {

/// A process whose collector answers.
struct ControlledProcess {
    int pid = 0; ///< in our pid namespace, or in the process's own one if it is not visible in ours
    record::ControlClient client;
    record::Reply hello, stats;
};

/// Print what the processes have said about themselves, as a table or as JSON.
void printControlTable(const std::vector<ControlledProcess> &all);
void printControlJson(const std::vector<ControlledProcess> &all);

} // namespace riffle::cli
