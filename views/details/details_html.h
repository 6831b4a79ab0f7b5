// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/slice/slice_details.h"
#include "model/analysis/slice/slice_group.h"
#include "model/trace/trace_set.h"
#include "views/common/look/qt_text.h"

#include <QString>

namespace riffle {

/// The format of times in the details.
struct DetailsFormat {
    Ns origin = 0;                   ///< start times are relative to this
    std::optional<int64_t> baseTime; ///< the Unix time of the trace's time 0 in ns, if known
};

/// A row of a table of properties: the name in grey, the value as HTML.
QString propertyRow(const QString &name, const QString &value);

/// The details of a slice as a page for a text browser. Slices are linked as "slice:<id>".
QString detailsHtml(const Trace &trace, const SliceDetails &details, const DetailsFormat &format);

/// The times that several selected slices take together, above the details of the first of them.
QString groupHtml(const SliceGroup &group);

/// A summary of the traces, shown while no slice is selected.
QString overviewHtml(const TraceSet &traces);

/// The id in a "slice:<id>" link; invalid for other links.
SliceId sliceOfLink(const QString &link);

} // namespace riffle
