// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/lane_state.h"

#include <QJsonObject>

namespace riffle {

/// What the user did to the lanes, for session files and settings. Unknown members are skipped when read.
QJsonObject laneStateToJson(const LaneState &state);
LaneState laneStateFromJson(const QJsonObject &json);

} // namespace riffle
