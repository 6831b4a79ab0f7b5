// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/like/like.h"
#include "model/analysis/tensorboard/tensorboard_views.h"

namespace riffle::cli {

std::span<const LikePrinter> likePrinters()
{
    static const LikePrinter kPrinters[] = {{"paddle", printLikePaddle, nullptr},
                                            {"torch", printLikeTorch, nullptr},
                                            {"tensorboard", nullptr, tensorboardViews}};
    return kPrinters;
}

} // namespace riffle::cli
