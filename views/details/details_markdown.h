// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/details/details_html.h"

namespace riffle {

/// The details of a slice as a Markdown list, below its name in bold. Long values are shortened, and the list says how
/// much it leaves out.
QString detailsMarkdown(const Trace &trace, const SliceDetails &details, const DetailsFormat &format);

} // namespace riffle
