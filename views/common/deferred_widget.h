// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include <utility>

namespace riffle {

/// A widget that is refreshed only while it is visible, and once per turn of the event loop for all changes since the
/// last refresh. `Changes` is a type of flags.
template <typename Changes>
class DeferredWidget : public QWidget {
public:
    /// Brings the widget up to date now if it is visible, for tests and screenshots.
    void refreshNow()
    {
        if (isVisible())
            refreshHidden();
    }
    /// Brings the widget up to date even if it is hidden.
    void refreshHidden()
    {
        if (m_dirty)
            refresh(std::exchange(m_dirty, {}));
    }

protected:
    /// `first`: the changes that the first refresh reports.
    DeferredWidget(Changes first, QWidget *parent) : QWidget(parent), m_dirty(first) {}

    /// Fills the widget. `changes`: everything since the last call.
    virtual void refresh(Changes changes) = 0;
    /// Requests a refresh.
    void markDirty(Changes changes)
    {
        m_dirty |= changes;
        if (m_scheduled || !isVisible())
            return;
        m_scheduled = true;
        QMetaObject::invokeMethod(
            this,
            [this] {
                m_scheduled = false;
                refreshNow();
            },
            Qt::QueuedConnection);
    }
    void showEvent(QShowEvent *event) override
    {
        QWidget::showEvent(event);
        refreshHidden();
    }

private:
    Changes m_dirty;
    bool m_scheduled = false;
};

} // namespace riffle
