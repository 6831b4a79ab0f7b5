// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/analysis/memory/small_snapshot.h"
#include "tests/model/analysis/small_trace.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/empty_notice.h"

#include "model/analysis/memory/snapshot_facts.h"
#include "views/common/look/chip_bar.h"
#include "views/common/memory/memory_files.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/session.h"
#include "views/common/table/summary_table.h"
#include "views/details/details_view.h"
#include "views/memory/alive/alive_view.h"
#include "views/memory/alive/difference_view.h"
#include "views/memory/allocator/allocator_view.h"
#include "views/memory/events/events_view.h"
#include "views/memory/events/range_view.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/memory/log/log_view.h"
#include "views/memory/oom/oom_view.h"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace riffle;
using test::SmallSnapshot;

/// Every reason for which a view of memory files is empty, and the click that helps.
class EmptyMemoryViewTest : public QObject {
    Q_OBJECT

private slots:
    void init() { m_session = std::make_unique<Session>(); }
    void cleanup()
    {
        m_view.reset();
        m_session.reset();
    }

    void everyViewSaysWhatIsReadOrThatNothingIsOpen()
    {
        const auto says = [&](QWidget *view) {
            show(view);
            m_session->setLoading(QStringLiteral("a.pickle"));
            QCOMPARE(said(), QStringLiteral("Riffle is reading a.pickle."));
            m_session->setLoading({});
            QCOMPARE(said(), QStringLiteral("No memory snapshot is open."));
            QSignalSpy asked(memory(), &MemorySession::openRequested);
            click();
            QCOMPARE(asked.size(), 1);
            memory()->setSnapshots({withHistory()});
            QVERIFY(said().isEmpty());
            memory()->setSnapshots({});
        };
        says(new AliveView(m_session.get()));
        says(new DifferenceView(m_session.get()));
        says(new RangeView(m_session.get()));
        says(new EventsView(memory()));
        says(new OomView(memory()));
        says(new AllocatorView(memory()));
        says(new LandscapeView(memory()));
    }

    void viewsOfTheOtherKindOfFileSayWhatIsOpen()
    {
        memory()->setSnapshots({withHistory()});
        show(new DetailsView(m_session.get()));
        QCOMPARE(said(), QStringLiteral("This view needs a trace, and only a memory snapshot is open."));
        memory()->setSnapshots({});
        m_session->setTraces(test::setOf(test::trainingTrace()));
        show(new OomView(memory()));
        QCOMPARE(said(), QStringLiteral("This view needs a memory snapshot, and only a trace is open."));
    }

    void aMemoryLogIsAskedForLikeASnapshot()
    {
        MemoryFiles files;
        show(new LogView(&files));
        QCOMPARE(said(), QStringLiteral("No memory timeline or memory log is open."));
        files.setLoading(QStringLiteral("memory.log"));
        QCOMPARE(said(), QStringLiteral("Riffle is reading memory.log."));
        files.setLoading({});
        QSignalSpy asked(&files, &MemoryFiles::openRequested);
        click();
        QCOMPARE(asked.size(), 1);
        m_view.reset();
    }

    void whereNothingIsAllocatedAClickGoesToThePeak()
    {
        memory()->setSnapshots({withHistory()});
        memory()->setInstant(memory()->device()->firstEvent + 2);
        show(new AliveView(m_session.get()));
        QTRY_COMPARE(saidInTable(), QStringLiteral("Nothing is allocated at this instant."));
        QTest::mouseClick(tableNotice()->button(), Qt::LeftButton);
        QCOMPARE(memory()->instant(), memory()->device()->peakAllocatedEvent);
        QTRY_VERIFY(saidInTable().isEmpty());
    }

    void aFilterThatHidesAllEventsIsCleared()
    {
        memory()->setSnapshots({withHistory()});
        auto *view = new EventsView(memory());
        show(view);
        QTRY_VERIFY(view->settled() && saidInTable().isEmpty());
        QTest::keyClicks(view->filterBox(), QStringLiteral("segment_map"));
        QTRY_COMPARE(saidInTable(), QStringLiteral("The filter “segment_map” hides all 3 events."));
        QTest::mouseClick(tableNotice()->button(), Qt::LeftButton);
        QCOMPARE(view->filterBox()->text(), QString());
        QTRY_VERIFY(saidInTable().isEmpty());
    }

    void aSnapshotWithoutHistorySaysHowToRecordIt()
    {
        SmallSnapshot small;
        small.nextDevice();
        small.segment(0, 2'097'152, {SmallSnapshot::block(0, 1'000)});
        memory()->setSnapshots({factsOf(std::move(small))});
        const QString sentence = QStringLiteral(
            "The history is empty. Call torch.cuda.memory._record_memory_history() to turn recording on.");
        show(new RangeView(m_session.get()));
        QTRY_COMPARE(saidInTable(), sentence);
        show(new EventsView(memory()));
        QTRY_COMPARE(saidInTable(), sentence);
        QTest::mouseClick(tableNotice()->button(), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("torch.cuda.memory._record_memory_history()"));
    }

    void aRangeOfEventsHasABadge()
    {
        memory()->setSnapshots({withHistory()});
        auto *view = new RangeView(m_session.get());
        show(view);
        QVERIFY(!view->badge()->isVisible());
        memory()->setRange(MemorySession::EventRange{memory()->device()->firstEvent, memory()->device()->firstEvent});
        QTRY_VERIFY(view->badge()->isVisible());
        QCOMPARE(view->badge()->text(), QStringLiteral("Follows: range"));
        QTest::mouseClick(view->badge(), Qt::LeftButton);
        QVERIFY(!memory()->range());
        QTRY_VERIFY(!view->badge()->isVisible());
    }

private:
    MemorySession *memory() const { return m_session->memory(); }
    static std::shared_ptr<const SnapshotFacts> factsOf(SmallSnapshot small)
    {
        return std::make_shared<const SnapshotFacts>(test::sharedSnapshot(small.take()));
    }
    /// One allocation, which is freed.
    static std::shared_ptr<const SnapshotFacts> withHistory()
    {
        SmallSnapshot small;
        small.add(MemoryAction::Alloc, 0, 1'000);
        small.add(MemoryAction::FreeRequested, 0, 1'000);
        small.add(MemoryAction::FreeCompleted, 0, 1'000);
        return factsOf(std::move(small));
    }
    void show(QWidget *view)
    {
        m_view.reset(view);
        m_view->resize(900, 500);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    /// The notice that covers the whole view.
    EmptyNotice *notice() const { return m_view->findChild<EmptyNotice *>(QString(), Qt::FindDirectChildrenOnly); }
    /// The notice of the table in the view.
    EmptyNotice *tableNotice() const
    {
        for (EmptyNotice *one : m_view->findChildren<EmptyNotice *>())
            if (one->parent() != m_view.get())
                return one;
        return nullptr;
    }
    static QString textOf(const EmptyNotice *notice) { return notice->isVisible() ? notice->text() : QString(); }
    QString said() const { return textOf(notice()); }
    QString saidInTable() const { return textOf(tableNotice()); }
    void click()
    {
        QVERIFY(notice()->button()->isVisible());
        QTest::mouseClick(notice()->button(), Qt::LeftButton);
    }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<QWidget> m_view;
};

RIFFLE_WIDGET_TEST(EmptyMemoryViewTest)
#include "empty_memory_view_test.moc"
