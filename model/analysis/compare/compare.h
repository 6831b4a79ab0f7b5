// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/compare/compared_side.h"
#include "model/analysis/compare/device_comparison.h"

#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace riffle {

/// Returns the paired device work of both sides, which is computed when it is first asked for.
using PairedWork = std::function<const DeviceComparison &()>;

/// One view of a comparison: its word in commands, and the function that computes its table.
struct CompareView {
    const char *word;
    const char *title;
    /// Makes the table of the sides. If null, the table of the summary view is made for both sides, and its rows are
    /// paired by its keys (differenceTable()).
    ResultTable (*make)(const LabelledScope &a, const LabelledScope &b) = nullptr;
    /// Makes the table instead, for views about more than one trace of a side.
    ResultTable (*makeOfSides)(const ComparedSide &a, const ComparedSide &b) = nullptr;
    /// Makes the table instead, from the paired device work, which several views share. `work` computes it.
    ResultTable (*makeOfWork)(const LabelledScope &a, const LabelledScope &b, const PairedWork &work) = nullptr;
    const char *summary = nullptr; ///< the word of a summary view
    const char *figure = nullptr;  ///< the column of the summary view that is compared first
    /// About all of both traces (ComparedSide::whole) and not only the median steps, if the user chose no part of
    /// either: a part is not compared with a whole.
    bool ofWhole = false;
};

/// The table of all views, in the order in which they are listed. To add a view, add a row.
std::span<const CompareView> compareViews();
const CompareView *findCompareView(std::string_view word);

/// The tables of two parts of loaded traces, which may be of the same trace. The views share what takes long. The facts
/// must outlive the object, and only one thread at a time may ask it.
class Comparison {
public:
    Comparison(const SetFacts &facts, ComparedSide a, ComparedSide b);

    /// The table of a view. A table without rows says why it has none. Returns an Error if the task was stopped.
    Result<ResultTable> table(const CompareView &view, const Task &task);
    /// The paired device work of the parts. Like the next one, it throws if the task that it runs in was stopped.
    const DeviceComparison &work();
    /// The time that the part of A (0) or B (1) covers, from the first to the last time that counts, in its own time.
    TimeSpan spanOf(size_t side);

private:
    struct Scopes {
        LabelledScope a, b;
    };
    const Scopes &scopes(bool ofWhole);
    ResultTable make(const CompareView &view);

    const SetFacts &m_facts;
    const ComparedSide m_a, m_b;
    std::unique_ptr<const Scopes> m_parts, m_wholes;
    std::unique_ptr<const DeviceComparison> m_work; ///< of the parts
};

/// The table of one view.
Result<ResultTable> compare(const SetFacts &facts, const CompareView &view, const ComparedSide &a,
                            const ComparedSide &b, const Task &task);

} // namespace riffle
