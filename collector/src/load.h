// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace riffle::collector {

/// Starts recording when RIFFLE_OPTIONS asks for it and nothing was started yet. Errors go to stderr once.
void startIfAsked();

} // namespace riffle::collector
