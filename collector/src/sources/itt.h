// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace riffle::collector {

/// True if the module whose ITT domain is `PyTorch` gives its tasks to this library.
bool isIttConnected();

} // namespace riffle::collector
