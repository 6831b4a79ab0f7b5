// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace riffle::test {

/// Ends the program with a message if something does not hold.
inline void require(bool good, const char *what)
{
    if (good)
        return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

/// The same; the message also shows the text that the program got.
inline void require(bool good, const char *what, std::string_view text)
{
    if (good)
        return;
    std::fprintf(stderr, "%s: %.*s\n", what, static_cast<int>(text.size()), text.data());
    std::abort();
}

} // namespace riffle::test
