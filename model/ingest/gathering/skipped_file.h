// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace riffle {

/// A file or folder that is not part of a set, although it was found where the set is.
struct SkippedFile {
    std::string path;    ///< as the user would write it; one in an archive follows the archive's path
    std::string why;     ///< a sentence
    bool isLoss = false; ///< it may belong to the set, but could not be read
    bool operator==(const SkippedFile &) const = default;
};

} // namespace riffle
