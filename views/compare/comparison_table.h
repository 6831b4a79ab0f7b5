// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/table/result_view.h"
#include "views/compare/comparison_state.h"

class QComboBox;

namespace riffle {

/// The tables of a comparison (compareViews()), one at a time. They are about the parts that are chosen, so no filter
/// limits them.
class ComparisonTable : public ResultView {
    Q_OBJECT
public:
    explicit ComparisonTable(ComparisonState *state, QWidget *parent = nullptr);

    QString word() const; ///< of the view that is shown
    void choose(const QString &word);

private:
    Work question() const;

    ComparisonState *m_state;
    QComboBox *m_view;
};

} // namespace riffle
