// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Opens memory snapshots, alone and beside traces.
#include "tests/app/window_case.h"

#include "app/window/shell/page_bar.h"
#include "app/window/shell/tab_button.h"
#include "app/window/shell/tab_dock.h"
#include "app/window/shell/tab_row.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/snapshot_generator.h"
#include "views/common/look/notice_bar.h"
#include "views/common/memory/memory_session.h"
#include "views/common/table/summary_table.h"
#include "views/memory/allocator/allocator_canvas.h"
#include "views/memory/events/event_row_model.h"
#include "views/memory/events/events_view.h"
#include "views/memory/events/range_view.h"
#include "views/memory/landscape/landscape_canvas.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/search/find_bar.h"

#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <functional>

using namespace riffle;

class MemoryOpenTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-memory-test"));
        m_trace = path(QStringLiteral("sample.json"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_trace));
        m_snapshot = path(QStringLiteral("snapshot.pickle"));
        test::SnapshotOptions options;
        options.entries = 20'000;
        std::string bytes;
        m_truth = test::generateSnapshot(options, [&](std::string_view part) { bytes += part; });
        write(m_snapshot, QByteArray::fromStdString(bytes));
        m_cut = path(QStringLiteral("cut.pickle"));
        write(m_cut, QByteArray::fromStdString(bytes.substr(0, bytes.size() - 100)));
        m_unnamed = path(QStringLiteral("renamed.bin"));
        write(m_unnamed, QByteArray::fromStdString(bytes));
        m_broken = path(QStringLiteral("broken.pkl"));
        write(m_broken, "\x80\x04nothing of the kind");
    }
    void init() { makeWindow(); }
    void cleanup() { closeWindow(); }

    void aSnapshotAloneTakesTheMiddle()
    {
        openFiles({m_snapshot});
        QVERIFY(session()->traces().empty());
        QCOMPARE(memory()->snapshots().size(), size_t(1));
        QCOMPARE(memory()->device()->peak.active, m_truth.peak);
        QCOMPARE(memory()->instant(), memory()->device()->peakAllocatedEvent);
        QVERIFY(m_window->memoryPage()->isVisible());
        QVERIFY(!m_window->timeline()->isVisible());
        QVERIFY(!m_window->view(QStringLiteral("operators"))->isVisible());
        QVERIFY(m_window->windowTitle().startsWith(QStringLiteral("snapshot.pickle")));
        QCOMPARE(m_settings->recentSets().front().files, QStringList{m_snapshot});
        QVERIFY(m_window->memoryPage()->canvas()->hasFocus());
        // The bar offers neither the side panel, which this page has not, nor pages of traces.
        for (const QToolButton *button : m_window->findChild<PageBar *>()->findChildren<QToolButton *>())
            if (button->isCheckable()) // the others go back and forward
                QCOMPARE(button->isVisible(), button->text() == QLatin1String("Memory"));
        for (const QToolButton *button : m_window->findChild<PageBar *>()->findChildren<QToolButton *>())
            if (button->isVisible())
                QVERIFY2(button->x() < 250, qPrintable(button->text()));
        QVERIFY(!m_window->findBar()->isVisible()); // there is no trace to search
    }

    void theTablesOfEventsAndOfARangeAreSaved()
    {
        openFiles({m_snapshot});
        m_window->bringForward(QStringLiteral("memory-range"));
        auto *range = static_cast<RangeView *>(m_window->view(QStringLiteral("memory-range")));
        auto *events = static_cast<EventsView *>(m_window->view(QStringLiteral("memory-events")));
        QTRY_VERIFY(range->settled() && range->table()->table().rows() > 0);
        m_window->bringForward(QStringLiteral("memory-events"));
        QTRY_VERIFY(events->settled() && events->rows()->rowCount() > 0);
        m_window->bringForward(QStringLiteral("memory-range"));
        QVERIFY(savedBy([&] { range->table()->exportAs(QStringLiteral("csv")); }).contains("allocated"));
        QVERIFY(savedBy([&] { events->exportAs(QStringLiteral("csv")); }).startsWith("event,time_ns,action,address,"));
    }

    void eventsAreCopiedAsMarkdown()
    {
        openFiles({m_snapshot});
        m_window->bringForward(QStringLiteral("memory-events"));
        auto *events = static_cast<EventsView *>(m_window->view(QStringLiteral("memory-events")));
        QTRY_VERIFY(events->settled() && events->rows()->rowCount() > 2);
        events->table()->setFocus();
        events->table()->clearSelection();
        const QAbstractItemModel &model = *events->table()->model();
        const auto shown = model.columnCount() - events->table()->horizontalHeader()->hiddenSectionCount();
        const auto copied = [&] {
            QTest::keyClick(events->table(), Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
            return QApplication::clipboard()->text();
        };
        const QStringList lines = copied().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QVERIFY2(lines.at(0).contains(QStringLiteral("Events")), qPrintable(lines.at(0)));
        const auto first =
            std::ranges::find_if(lines, [](const QString &line) { return line.startsWith(u"| ---"); }) + 1;
        constexpr int kMost = 1'000;
        QVERIFY(model.rowCount() > kMost);
        QCOMPARE(lines.end() - first, kMost + 1);
        QCOMPARE(lines.back(),
                 QStringLiteral("%1 more rows are left out.").arg(toQString(formatCount(model.rowCount() - kMost))));
        for (int row = 0; row < kMost; ++row) {
            QString cells = *(first + row);
            const QString address = model.index(row, 2).data().toString();
            QVERIFY2(cells.contains(address), qPrintable(cells));
            QCOMPARE(cells.remove(QStringLiteral("\\|")).count(QLatin1Char('|')), shown + 1);
        }
        for (const int row : {0, 2})
            events->table()->selectionModel()->select(model.index(row, 0),
                                                      QItemSelectionModel::Select | QItemSelectionModel::Rows);
        QCOMPARE(copied().count(QStringLiteral("\n| ")), 4); // the heading, the rule and two rows
    }

    void theMapOfTheAllocatorHasRoomAtFirst()
    {
        openFiles({m_snapshot});
        m_window->bringForward(QStringLiteral("allocator"));
        auto *map = m_window->view(QStringLiteral("allocator"))->findChild<AllocatorCanvas *>();
        QTRY_VERIFY(map && map->isVisible());
        QApplication::processEvents();
        QVERIFY2(map->height() >= 6 * AllocatorCanvas::kLine, qPrintable(QString::number(map->height())));
    }

    void itIsToldByWhatItHolds()
    {
        openFiles({m_unnamed});
        QCOMPARE(memory()->snapshots().size(), size_t(1));
    }

    void besideATraceTheOverviewComesFirst()
    {
        closeWindow();
        QFile::remove(path(QStringLiteral("settings.ini"))); // otherwise, the trace is known from the tests before
        makeWindow();
        openFiles({m_trace, m_snapshot});
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("overview"));
    }

    void besideATraceItIsAPage()
    {
        openFiles({m_trace, m_snapshot});
        m_window->showPage(QStringLiteral("timeline"));
        QCOMPARE(session()->traces().loaded().size(), size_t(1));
        QCOMPARE(memory()->snapshots().size(), size_t(1));
        QVERIFY(!m_window->memoryPage()->isVisible());
        QTest::keyClick(m_window.get(), Qt::Key_M, Qt::ControlModifier);
        QVERIFY(m_window->memoryPage()->isVisible());
        QVERIFY(!m_window->timeline()->isVisible());
        QVERIFY(m_window->memoryPage()->isAncestorOf(m_window->focusWidget()));
    }

    void titlesOfTabsAreWholeHoweverMany()
    {
        openFiles({m_trace, m_snapshot});
        m_window->showPage(QStringLiteral("timeline"));
        for (const int width : {1024, 1280, 2560}) {
            m_window->resize(width, 720);
            QApplication::processEvents();
            const auto buttons = m_window->workspace()->dock()->tabs()->findChildren<TabButton *>();
            int right = 0, shown = 0;
            for (const TabButton *tab : buttons) {
                if (tab->isHidden())
                    continue;
                QVERIFY2(tab->width() > tab->fontMetrics().horizontalAdvance(tab->text()), qPrintable(tab->text()));
                QVERIFY(tab->x() >= right);
                right = tab->x() + tab->width();
                ++shown;
            }
            QVERIFY(right <= m_window->workspace()->dock()->tabs()->width());
            QVERIFY2(shown >= (width == 2560 ? 14 : 9), qPrintable(QString::number(shown)));
        }
    }

    void eachKindHasItsOwnLayout()
    {
        openFiles({m_trace});
        m_window->bringForward(QStringLiteral("kernels"));
        openFiles({m_snapshot});
        QVERIFY(m_window->memoryPage()->isVisible());
        QVERIFY(!m_window->workspace()->dock()->isOffered(QStringLiteral("kernels")));
        QVERIFY(m_window->workspace()->dock()->isFolded());
        openFiles({m_trace});
        QVERIFY(memory()->empty());
        m_window->showPage(QStringLiteral("timeline"));
        QVERIFY(m_window->isInFront(QStringLiteral("kernels")));
        QVERIFY(!m_window->workspace()->dock()->isOffered(QStringLiteral("allocator")));
    }

    void itCanBeDropped() { drop({m_snapshot}); }

    void damageIsSaid()
    {
        openFiles({m_cut});
        QVERIFY2(m_window->noticeText().contains(QStringLiteral("Only the start of the file could be read")),
                 qPrintable(m_window->noticeText()));
        QVERIFY2(m_window->noticeText().contains(QStringLiteral("at byte")), qPrintable(m_window->noticeText()));
    }

    void whatCannotBeReadLeavesWhatIsOpen()
    {
        openFiles({m_snapshot});
        const auto before = memory()->facts();
        OpenRequest request;
        request.files = {m_broken};
        m_window->open(request);
        QVERIFY(QTest::qWaitFor([this] { return !m_window->noticeText().isEmpty() && m_window->settled(); }));
        QVERIFY2(m_window->noticeText().contains(QStringLiteral("broken.pkl")), qPrintable(m_window->noticeText()));
        QCOMPARE(memory()->facts(), before);
        QVERIFY(m_window->memoryPage()->isVisible());
    }

    void aSessionFileNamesIt()
    {
        openFiles({m_trace, m_snapshot});
        const QString saved = path(QStringLiteral("both.riffle"));
        QVERIFY(m_window->sessionNow().write(saved));
        makeWindow();
        openFiles({saved});
        QCOMPARE(memory()->snapshots().size(), size_t(1));
        QCOMPARE(session()->traces().loaded().size(), size_t(1));
        openFiles({m_snapshot});
        QVERIFY(m_window->sessionNow().write(saved));
        makeWindow();
        openFiles({saved});
        QVERIFY(session()->traces().empty());
        QCOMPARE(memory()->snapshots().size(), size_t(1));
    }

private:
    /// The contents of a file after the user has given its name in the dialog that `save` opens.
    QByteArray savedBy(const std::function<void()> &save)
    {
        const QString name = path(QStringLiteral("saved.csv"));
        QFile::remove(name);
        QTimer answering;
        connect(&answering, &QTimer::timeout, this, [&] {
            if (auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget())) {
                answering.stop();
                dialog->selectFile(name);
                QMetaObject::invokeMethod(dialog, "accept");
            }
        });
        answering.start(20);
        save();
        if (!QTest::qWaitFor([&] { return QFile::exists(name); }))
            return {};
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static void write(const QString &name, const QByteArray &bytes)
    {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    }
    MemorySession *memory() { return session()->memory(); }
    void openFiles(const QStringList &files)
    {
        OpenRequest request;
        request.files = files;
        m_window->open(request);
        QVERIFY(QTest::qWaitFor([this] { return !m_window->controller()->loading() && m_window->settled(); }));
    }
    void drop(const QStringList &files)
    {
        dropFiles(*m_window, files);
        QVERIFY(QTest::qWaitFor([this] { return !memory()->empty() && m_window->settled(); }));
    }

    QString m_trace, m_snapshot, m_cut, m_unnamed, m_broken;
    test::SnapshotTruth m_truth;
};

RIFFLE_WIDGET_TEST(MemoryOpenTest)
#include "memory_open_test.moc"
