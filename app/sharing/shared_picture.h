// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/sharing/shared_part.h"

#include <QImage>

namespace riffle {

/// A picture of the part below its heading, with at least two pixels per logical pixel. A table is shown with all its
/// rows, up to a limit that the heading tells; everything else as it is visible. `files`: see headingOf().
QImage sharedPicture(const SharedPart &part, const Session &session, const QString &files);

} // namespace riffle
