// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

class QMenu;
class QString;

namespace riffle {

class Navigation;
class TimelineState;

/// Fills the menu of a slice: copy, fit, mark, highlight, compare, hide its lane, and filters. False if there is no
/// such slice.
bool fillSliceMenu(QMenu *menu, TimelineState *state, Navigation *navigation, SliceRef slice);
/// The slice as one row of a table: name, lane, start after the first event, and duration, separated by tabs.
QString sliceAsRow(const TraceSet &traces, SliceRef slice);

} // namespace riffle
