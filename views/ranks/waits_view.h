// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/table/result_view.h"

#include <memory>

class QComboBox;

namespace riffle {

class SharedWaits;

/// Which rank the others wait for, and the calls of the loaded ranks that belong together: one table of
/// stragglerViews() or matchViews(). All of them are about whole traces, so the session's filters do not apply.
class WaitsView : public ResultView {
    Q_OBJECT
public:
    explicit WaitsView(Session *session, QWidget *parent = nullptr);

    QComboBox *viewBox() const { return m_view; }

private:
    Work question(const Session &session) const;

    QComboBox *m_view;
    std::shared_ptr<SharedWaits> m_waits;
};

} // namespace riffle
