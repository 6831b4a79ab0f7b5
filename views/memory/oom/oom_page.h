// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/categories/memory_rules.h"
#include "model/analysis/memory/snapshot_facts.h"

#include <QString>

namespace riffle {

/// The page of OomView as HTML; links are "at:<row of the device>:<event>". Computing it takes as long as replaying all
/// histories. `rulesName`: the name of the rules to show to the user.
QString oomPage(const SnapshotFacts &facts, const MemoryRules &rules, const QString &rulesName, const Task &task);

} // namespace riffle
