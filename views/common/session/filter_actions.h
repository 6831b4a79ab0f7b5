// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/session.h"

class QMenu;

namespace riffle {

/// Adds actions that filter to the name, lane, step or rank of a slice, if it has these and the filter would narrow
/// anything, and one that uses slices with its name as the steps.
void addFilterActions(QMenu *menu, Session *session, SliceRef slice);
/// The same for a lane.
void addFilterActions(QMenu *menu, Session *session, LaneRef lane);

} // namespace riffle
