// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/slice_details.h"
#include "model/trace/trace_set.h"

#include <QString>

namespace riffle {

/// How times are written in the details.
struct DetailsFormat {
    Ns origin = 0;                   ///< start times count from here
    std::optional<int64_t> baseTime; ///< Unix ns of the trace's zero, when known
};

/// The details of a slice as a page for a text browser. Slices are linked as "slice:<id>".
QString detailsHtml(const Trace &trace, const SliceDetails &details, const DetailsFormat &format);

/// What is known of the traces as a whole: shown while no slice is selected.
QString overviewHtml(const TraceSet &traces);

/// The id in a "slice:<id>" link; invalid for other links.
SliceId sliceOfLink(const QString &link);

} // namespace riffle
