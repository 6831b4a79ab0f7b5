// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace riffle {

/// Opens a file without a name, which vanishes when it is closed, and returns its descriptor, or -1. An empty folder
/// means the first writable one of $TMPDIR, /var/tmp and /tmp.
int unlinkedFile(const std::string &folder);

} // namespace riffle
