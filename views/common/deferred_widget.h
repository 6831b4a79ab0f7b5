// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include <utility>

namespace riffle {

/// A widget that is filled when the program has nothing more urgent to do, and only while it is visible: once for all
/// changes since the last time. `Changes` are flags.
template <typename Changes>
class DeferredWidget : public QWidget {
public:
    /// Brings it up to date now if it is visible, for tests and pictures.
    void refreshNow()
    {
        if (isVisible())
            refreshHidden();
    }
    /// Brings it up to date whether visible or not.
    void refreshHidden()
    {
        if (m_dirty)
            refresh(std::exchange(m_dirty, {}));
    }

protected:
    /// `first`: what counts as changed until the first refresh.
    DeferredWidget(Changes first, QWidget *parent) : QWidget(parent), m_dirty(first) {}

    /// Fills the widget. `changes`: everything since the last call.
    virtual void refresh(Changes changes) = 0;
    /// To ask for a refresh.
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
