// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/table/result_view.h"

namespace riffle {

/// The table of the ranks with the most own work in each step (firstStragglers()) of the shown run.
class StragglersView : public ResultView {
    Q_OBJECT
public:
    explicit StragglersView(Session *session, QWidget *parent = nullptr);
};

} // namespace riffle
