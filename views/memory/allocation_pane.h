// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/memory_view.h"

#include <QTimer>

class QLabel;

namespace riffle {

class StackReader;

/// All that is known of the selected allocation, with its whole stack; of none: of the instant.
class AllocationPane : public MemoryView {
    Q_OBJECT
public:
    explicit AllocationPane(MemorySession *memory, QWidget *parent = nullptr);

    QString text() const; ///< what the upper part says, plain
    StackReader *stack() const { return m_stack; }

signals:
    void openFileRequested(const QString &file, int line);

protected:
    void refresh(MemorySession::Changes changes) override;

private:
    void describe();

    QLabel *m_head;
    StackReader *m_stack;
    QTimer m_settled;
};

} // namespace riffle
