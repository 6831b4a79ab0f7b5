// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace riffle::collector {

/// Starts recording if RIFFLE_OPTIONS is set and this function has not been called before. Errors go to stderr.
void startIfAsked();

} // namespace riffle::collector
