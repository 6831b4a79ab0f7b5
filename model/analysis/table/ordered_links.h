// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/row_slices.h"

#include <memory>

namespace riffle {

/// The links of a table whose slices are in the order of positions or of time, which is that of ids in most traces of
/// files. If the caller knows that they are in the order of ids, nobody needs to look. Throws Stopped if the StopScope
/// is stopped.
std::shared_ptr<const RowSlices> orderedLinks(RowSlices::Member links, bool haveOrderOfIds = false);

} // namespace riffle
