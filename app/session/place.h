// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/launch_options.h"
#include "views/common/session/session.h"

#include <QString>

namespace riffle {

/// The command line that opens the same traces at the same place with the same slice selected.
QString commandLineFor(const OpenRequest &request, const Session &session);

/// Full name of the selected slice; empty when nothing is selected.
QString selectedName(const Session &session);

/// Goes to a place: the range first, then the slice, which is brought into sight. False when the slice was not found.
bool goToPlace(Session &session, const PlaceRequest &place);

/// "NAME@TIME" for a slice: what --select takes.
QString selectText(const Session &session, SliceRef slice);

} // namespace riffle
