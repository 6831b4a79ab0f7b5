// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_table.h"

/// One function per table; queryTables() lists those of traces, snapshotTables() those of snapshots.
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

QueryTable allocationsTable();
QueryTable memoryEventsTable();
QueryTable segmentsTable();
QueryTable blocksTable();
QueryTable stacksTable();
QueryTable marksTable();
QueryTable devicesTable();

/// `withFile` adds the columns with which the tables of these files end.
QueryTable columnsTable(std::vector<QueryColumn> (*withFile)(std::vector<QueryColumn> columns));

} // namespace riffle
