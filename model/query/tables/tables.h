// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_table.h"

/// One function per table; queryTables() lists them all.
namespace riffle {

QueryTable slicesTable();
QueryTable argsTable();
QueryTable lanesTable();
QueryTable processesTable();
QueryTable operatorsTable();
QueryTable kernelsTable();
QueryTable copiesTable();
QueryTable launchesTable();
QueryTable collectivesTable();
QueryTable stepsTable();
QueryTable flowsTable();
QueryTable countersTable();
QueryTable instantsTable();
QueryTable memoryTable();
QueryTable slicesByNameTable();
QueryTable slicesByLaneAndNameTable();
QueryTable kernelsByNameTable();
QueryTable columnsTable();

} // namespace riffle
