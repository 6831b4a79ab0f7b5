// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/like.h"

namespace riffle::cli {

std::span<const LikePrinter> likePrinters()
{
    static const LikePrinter kPrinters[] = {{"paddle", printLikePaddle}, {"torch", printLikeTorch}};
    return kPrinters;
}

} // namespace riffle::cli
