// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/memory/memory_view.h"
#include "views/common/session/jobs.h"

#include <QTimer>

class QLabel;

namespace riffle {

class MemoryCategories;
class StackReader;

/// Everything known about the selected allocation, with its whole stack; if none is selected, about the instant.
class AllocationPane : public MemoryView {
    Q_OBJECT
public:
    explicit AllocationPane(MemorySession *memory, QWidget *parent = nullptr);

    QString text() const; ///< the upper part as plain text
    StackReader *stack() const { return m_stack; }

signals:
    void openFileRequested(const QString &file, int line);

protected:
    void refresh(MemorySession::Changes changes) override;

private:
    void describe();
    void guess();

    QLabel *m_head;
    StackReader *m_stack;
    QTimer m_settled;
    std::shared_ptr<const MemoryCategories> m_categories; ///< of m_categorised; null while they are being computed
    std::shared_ptr<const SnapshotFacts> m_categorised;
    std::shared_ptr<const MemoryRules> m_rules;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
