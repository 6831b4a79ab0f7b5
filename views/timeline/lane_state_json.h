// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/lane_state.h"

#include <QJsonObject>

namespace riffle {

/// The user's changes to the lanes, for session files and settings. Unknown members are skipped on reading.
QJsonObject laneStateToJson(const LaneState &state);
LaneState laneStateFromJson(const QJsonObject &json);

} // namespace riffle
