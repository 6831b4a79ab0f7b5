// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/launch_options.h"
#include "views/common/session/session.h"

#include <QString>

namespace riffle {

/// The command line that opens the same files at the same place, with the same slice selected.
QString commandLineFor(const OpenRequest &request, const Session &session);

/// The full name of the selected slice; empty if nothing is selected.
QString selectedName(const Session &session);

/// Goes to a place: shows the range, then selects the slice and scrolls to it. Returns false if the slice was not
/// found.
bool goToPlace(Session &session, const PlaceRequest &place);

/// "NAME@TIME" for a slice, as --select takes it.
QString selectText(const Session &session, SliceRef slice);

} // namespace riffle
