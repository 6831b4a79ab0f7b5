// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/trace/tables.h"

#include <limits>

namespace riffle::test {

/// Five rows with every kind of cell. The last row has only a name.
inline ResultTable smallTable()
{
    ResultTable table;
    table.view = "small";
    table.title = "Small";
    table.add("name", "Name", CellKind::Text).texts = {"aten::mm", "aten::add", "void gemm<float>(int, int)",
                                                       "Optimizer.step#Adam", "nothing"};
    table.add("category", "Category", CellKind::Text).texts = {"cpu_op", "cpu_op", "kernel", "user_annotation", ""};
    table.add("calls", "Calls", CellKind::Count, "slices with that name").integers = {100, 250, 3, 100, kNoInt};
    table.add("total_ns", "Total", CellKind::Time, "summed duration").integers = {12'000'000, 900'000, 30'000'000,
                                                                                  10'000'000, kNoInt};
    table.add("bytes", "Size", CellKind::Bytes).integers = {1024, 0, 5 << 20, kNoInt, kNoInt};
    table.add("share", "Share", CellKind::Share).numbers = {0.2, 0.05, 0.7, 0.049,
                                                            std::numeric_limits<double>::quiet_NaN()};
    table.column("calls")->summed = true;
    table.column("total_ns")->summed = table.column("total_ns")->barred = true;
    return table;
}

/// A tree with two roots. The first root has two children, of which the second has one child.
inline ResultTable smallTree()
{
    ResultTable table;
    table.view = "tree";
    table.add("name", "Name", CellKind::Text).texts = {"net", "conv", "head", "linear", "loss"};
    table.add("total_ns", "Total", CellKind::Time).integers = {100, 30, 60, 50, 200};
    table.column("total_ns")->summed = true;
    table.depth = {0, 1, 1, 2, 0};
    return table;
}

} // namespace riffle::test
