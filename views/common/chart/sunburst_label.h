// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/sunburst.h"

#include <QFont>
#include <QPainterPath>
#include <QString>

namespace riffle {

/// A name on its piece of a sunburst around (0, 0), as outlines to fill: bent along the ring where that has room, else
/// outwards. It stays inside of the piece; what does not fit is cut, and where nothing worth reading fits there is
/// none.
QPainterPath sunburstLabel(const QString &name, const QFont &font, const SunburstShape &shape, const SunburstArc &arc);

} // namespace riffle
