// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/events/memory_events.h"
#include "model/base/big_vector.h"
#include "views/common/memory/memory_view.h"
#include "views/common/session/jobs.h"

#include <QTimer>

#include <memory>

class QLabel;
class QLineEdit;
class QTableView;
class QToolButton;

namespace riffle {

class EventRowModel;

/// All events of a device's allocator as a table with a filter. Enter or a double click goes to an event: it becomes
/// the instant, and its allocation is selected. The table scrolls to an allocation or instant that is chosen elsewhere.
class EventsView : public MemoryView {
    Q_OBJECT
public:
    explicit EventsView(MemorySession *memory, QWidget *parent = nullptr);

    bool settled() const { return m_jobs.idle() && !m_typed.isActive(); }
    EventRowModel *rows() const { return m_rows; }
    QTableView *table() const { return m_table; }
    QLineEdit *filterBox() const { return m_filter; }
    QString said() const; ///< the number of events, or what is wrong with the filter

    void exportAs(const QString &format); ///< "csv", "json"

signals:
    /// The user wants to save the events that are shown.
    void exportRequested(const QString &suggestedName, const QString &text);

protected:
    void refresh(MemorySession::Changes changes) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Answer {
        BigVector<uint32_t> events;
        std::shared_ptr<const EventAllocations> allocations;
        bool anyTime = false; ///< true if any event of the device has a time
    };
    void filter();
    void take(const std::shared_ptr<const SnapshotFacts> &facts, size_t device, Answer answer);
    void jump();
    void scrollTo(uint32_t event);
    void explainEmptiness();

    EventRowModel *m_rows;
    QTableView *m_table;
    QLineEdit *m_filter;
    QLabel *m_said;
    QToolButton *m_export;
    EmptyNotice *m_none; ///< covers the table while it has no rows
    QTimer m_typed;
    std::shared_ptr<const EventAllocations> m_allocations; ///< of the device that is shown
    std::shared_ptr<const SnapshotFacts> m_facts;
    size_t m_device = 0;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
