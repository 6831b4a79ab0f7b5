// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/sunburst.h"

#include <QFont>
#include <QPainterPath>
#include <QString>

namespace riffle {

/// The outlines of a name on its piece of a sunburst around (0, 0): bent along the ring if it fits there, otherwise
/// along the radius. They stay inside the piece: text that does not fit is cut, and the path is empty if nothing
/// readable fits.
QPainterPath sunburstLabel(const QString &name, const QFont &font, const SunburstShape &shape, const SunburstArc &arc);

} // namespace riffle
