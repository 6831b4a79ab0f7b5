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
    void guess();

    QLabel *m_head;
    StackReader *m_stack;
    QTimer m_settled;
    std::shared_ptr<const MemoryCategories> m_categories; ///< of what follows; null while they are being made
    std::shared_ptr<const SnapshotFacts> m_categorised;
    std::shared_ptr<const MemoryRules> m_rules;
    Jobs m_jobs; // last: its end waits for work
};

} // namespace riffle
