// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace riffle {

/// A file without a name, gone when it is closed: its descriptor, or -1. An empty folder means $TMPDIR, /var/tmp or
/// /tmp, whichever can be written to first.
int unlinkedFile(const std::string &folder);

} // namespace riffle
