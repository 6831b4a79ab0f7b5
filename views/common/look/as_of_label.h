// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/as_of.h"

#include <QLabel>

namespace riffle {

/// Says in the header of a view up to when its answer is complete: "as of 12:03:04". It is hidden while the traces of
/// the answer do not grow.
class AsOfLabel : public QLabel {
    Q_OBJECT
public:
    explicit AsOfLabel(QWidget *parent = nullptr);

    /// The answer of Session::factsAsOf() when the view asked.
    void say(const AsOf &asOf);
};

} // namespace riffle
