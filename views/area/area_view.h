// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/table/result_view.h"

namespace riffle {

/// The contents of the selected area, one row per name.
class AreaView : public ResultView {
    Q_OBJECT
public:
    explicit AreaView(Session *session, QWidget *parent = nullptr);
};

} // namespace riffle
