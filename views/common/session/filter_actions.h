// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/session.h"

class QMenu;

namespace riffle {

/// Adds actions that filter by the name, lane, step or rank of a slice, as far as the slice has these and the filter
/// would exclude something. Another action makes the slices with its name the steps.
void addFilterActions(QMenu *menu, Session *session, SliceRef slice);
/// The same for a lane.
void addFilterActions(QMenu *menu, Session *session, LaneRef lane);

} // namespace riffle
