// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/session.h"

class QMenu;

namespace riffle {

/// Offers to narrow everything down to what a slice is: its name, lane, step and rank, as far as it has these and as
/// they would narrow anything; or to take slices of its name for the steps.
void addFilterActions(QMenu *menu, Session *session, SliceRef slice);
/// The same for a lane.
void addFilterActions(QMenu *menu, Session *session, LaneRef lane);

} // namespace riffle
