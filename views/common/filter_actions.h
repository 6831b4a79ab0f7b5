// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session.h"

class QMenu;

namespace riffle {

/// Offers to narrow everything down to what a slice is: its name, lane, step and rank, as far as it has these and as they
/// would narrow anything.
void addFilterActions(QMenu *menu, Session *session, SliceRef slice);
/// The same for a lane.
void addFilterActions(QMenu *menu, Session *session, LaneRef lane);

/// The number of the step that a slice belongs to, by its launch where it has one; kNoInt where there is none.
int64_t stepOf(const TraceSet &traces, SliceRef slice);

} // namespace riffle
