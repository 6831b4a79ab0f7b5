// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/summary/overview_page.h"

#include "tests/views/view_case.h"
#include "views/common/chart/bar_chart.h"
#include "views/summary/figure_grid.h"
#include "views/summary/figures.h"

#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace riffle;

class OverviewTest : public ViewCase<OverviewPage> {
    Q_OBJECT

private slots:
    void init()
    {
        showView({1300, 700});
        settle();
        for (QToolButton *button : folds())
            QTest::mouseClick(button, Qt::LeftButton);
        settle();
    }
    void cleanup() { closeView(); }

    void figuresAreThoseOfTheTrace()
    {
        QCOMPARE(figure("About this file", "Steps"), QStringLiteral("2"));
        QCOMPARE(figure("Time in parts that sum", "Sum"), QStringLiteral("90.00\u00a0µs"));
        QCOMPARE(figure("Time in parts that sum", "Kernel", 2), QStringLiteral("40.0\u00a0%")); // 12 + 24 of 90 µs
        QCOMPARE(gridCalled("Time in parts that sum")->columnCount(), 4);                       // without a slower step
        QCOMPARE(figure("Where device time goes", "sgemm_bwd"), QStringLiteral("48.00\u00a0µs"));
        QCOMPARE(figure("Where device time goes", "sgemm_bwd", 2), QStringLiteral("66.7\u00a0%")); // of 2 × 36 µs
        QCOMPARE(figure("Device usage", "Window"), QStringLiteral("190.0\u00a0µs"));
        QCOMPARE(figure("Device usage", "Utilization"), QStringLiteral("72.00\u00a0µs"));
        QCOMPARE(figure("Device usage", "Utilization", 2), QStringLiteral("37.9\u00a0%"));
        QCOMPARE(figure("Device usage", "Idle"), QStringLiteral("118.0\u00a0µs"));
        QCOMPARE(figure("Launches", "Launches"), QStringLiteral("4"));
    }

    /// Five steps, one of which the range cuts and one of which never ended. Of the others, 200 is in the middle.
    void theMedianStepIsBesideTheSlowest()
    {
        ResultTable steps;
        const std::vector<int64_t> durations{100, 300, 200, 500, 900};
        const auto column = [&](const char *key, CellKind kind, std::vector<int64_t> cells) {
            steps.add(key, key, kind).integers = std::move(cells);
        };
        steps.add("name", "Name", CellKind::Text).texts = {"S#7", "S#8", "S#9", "S#10", "S#11"};
        column("duration_ns", CellKind::Time, durations);
        column("kernel_ns", CellKind::Time, {60, 190, 150, 1, 1});
        column("memcpy_ns", CellKind::Time, {0, 0, 0, 400, 0});
        column("cpu_ns", CellKind::Time, {0, 110, 0, 99, 899});
        column("other_ns", CellKind::Time, {40, 0, 50, 0, 0});
        column("cut", CellKind::Count, {0, 0, 0, 1, 0});
        column("unfinished", CellKind::Count, {0, 0, 0, 0, 1});
        QVERIFY(steps.isRectangular());
        const Figures figures = stepParts(steps);
        QCOMPARE(figures.titles, (QStringList{QStringLiteral("Kernel"), QStringLiteral("CPU"), QStringLiteral("Other"),
                                              QStringLiteral("Sum")}));
        QCOMPARE(figures.columns.size(), 3);
        QCOMPARE(figures.columns[0].title, QStringLiteral("Median\nStep 9"));
        QCOMPARE(figures.columns[1].title, QStringLiteral("Slowest\nStep 8"));
        const auto times = [](const QStringList &cells) {
            QStringList plain;
            for (QString cell : cells)
                plain += cell.remove(QStringLiteral("\u00a0ns"));
            return plain.join(QLatin1Char(' '));
        };
        QCOMPARE(times(figures.columns[0].values), QStringLiteral("150 0 50 200"));
        QCOMPARE(times(figures.columns[1].values), QStringLiteral("190 110 0 300"));
        QCOMPARE(times(figures.columns[2].values), QStringLiteral("+40 +110 −50 +100"));
        QCOMPARE(figures.columns[0].bars, (QList<double>{0.75, 0, 0.25, 0}));
        QVERIFY(figures.hasSum);
        QVERIFY(stepParts({}).titles.isEmpty());
    }

    void aCauseThatOnlyOneRankHasIsShown()
    {
        ResultTable merged;
        merged.add("section", "", CellKind::Text).texts = {"idle", "idle", "idle", "device"};
        merged.add("name", "", CellKind::Text).texts = {"dataloader", "host_code", "communication", "idle"};
        merged.add("device", "", CellKind::Count).integers = {kNoInt, kNoInt, kNoInt, kNoInt};
        merged.add("time_ns", "", CellKind::Time).integers = {0, 50, 0, 50};
        merged.add("time_min_ns", "", CellKind::Time).integers = {0, 40, 0, 40};
        merged.add("time_max_ns", "", CellKind::Time).integers = {9'000, 60, 0, 9'060};
        merged.add("time_max_trace", "", CellKind::Text).texts = {"Rank 3", "Rank 1", "Rank 0", "Rank 3"};
        merged.add("share", "", CellKind::Share).numbers = {0, 1, 0, 1};
        merged.add("count", "", CellKind::Count).integers = {kNoInt, kNoInt, kNoInt, kNoInt};
        merged.add("text", "", CellKind::Text).texts = {"", "", "", ""};
        merged.add("formula", "", CellKind::Text).texts = {"", "", "", ""};
        const Figures figures = idleFigures(merged, true);
        QCOMPARE(figures.titles.size(), 2);
        QVERIFY2(figures.titles[0].contains(QStringLiteral("DataLoader")), qPrintable(figures.titles[0]));
        QVERIFY2(figures.columns[2].values[0].contains(QStringLiteral("Rank 3")),
                 qPrintable(figures.columns[2].values[0]));
    }

    void aCauseThatOnlyOneDeviceHasIsZeroForTheOther()
    {
        ResultTable overview;
        overview.add("section", "", CellKind::Text).texts = {"idle", "idle", "idle", "idle", "idle", "idle"};
        overview.add("name", "", CellKind::Text).texts = {"dataloader", "runtime", "host_code",
                                                          "dataloader", "runtime", "host_code"};
        overview.add("device", "", CellKind::Count).integers = {0, 0, 0, 1, 1, 1};
        overview.add("time_ns", "", CellKind::Time).integers = {0, 0, 5, 70, 0, 30};
        overview.add("share", "", CellKind::Share).numbers = {0, 0, 1, 0.7, 0, 0.3};
        overview.add("count", "", CellKind::Count).integers = std::vector<int64_t>(6, kNoInt);
        overview.add("text", "", CellKind::Text).texts = std::vector<std::string>(6);
        overview.add("formula", "", CellKind::Text).texts = std::vector<std::string>(6);
        const Figures figures = idleFigures(overview, false);
        QCOMPARE(figures.titles.size(), 2);
        QCOMPARE(figures.columns.size(), 2);
        QCOMPARE(figures.columns[0].title, QStringLiteral("GPU 0"));
        QCOMPARE(figures.columns[0].values, (QStringList{QStringLiteral("0\u00a0ns"), QStringLiteral("5\u00a0ns")}));
        QCOMPARE(figures.columns[1].values, (QStringList{QStringLiteral("70\u00a0ns"), QStringLiteral("30\u00a0ns")}));
    }

    void whatIsKnownAboutTheFileIsFoldedAtFirst()
    {
        QCOMPARE(folds().size(), 2);
        for (QToolButton *button : folds()) {
            QVERIFY(button->isVisible() && gridCalled(qPrintable(button->text()))->isVisible());
            QTest::keyClick(button, Qt::Key_Space);
            QVERIFY(button->isVisible() && !gridCalled(qPrintable(button->text()))->isVisible());
        }
        QCOMPARE(folds().back()->text(), QStringLiteral("About this file"));
        // The findings come first.
        const auto heads = m_view->findChildren<QLabel *>();
        const auto findings = std::ranges::find(heads, QStringLiteral("Findings"), &QLabel::text);
        QVERIFY(findings != heads.end());
        QVERIFY((*findings)->mapTo(m_view.get(), QPoint()).y() < 60 &&
                (*findings)->mapTo(m_view.get(), QPoint()).x() < 60);
    }

    void whatFiguresMeanIsSaid()
    {
        FigureGrid *grid = gridCalled("Device usage");
        const int row = rowOf(grid, "Exposed communication");
        QVERIFY(row >= 0);
        QVERIFY(grid->item(row, 1)->toolTip().contains(QStringLiteral("but no compute kernel")));
    }

    void allFollowsTheSelection()
    {
        m_session->setArea(AreaSelection{{1'000'000, 1'090'000}, {}});
        settle();
        QCOMPARE(figure("Device usage", "Utilization"), QStringLiteral("36.00\u00a0µs"));
        QCOMPARE(figure("Launches", "Launches"), QStringLiteral("2"));
        QCOMPARE(steps()->itemCount(), 1);
        m_session->setArea(std::nullopt);
        settle();
        QCOMPARE(steps()->itemCount(), 2);
    }

    void aBarLeadsToItsStepAndTheStepToItsBar()
    {
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        QTest::mouseClick(steps(), Qt::LeftButton, {}, steps()->itemRect(1).center().toPoint());
        QCOMPARE(revealed.size(), 1);
        const auto slice = revealed[0][0].value<SliceRef>();
        QCOMPARE(nameOf(slice), QStringLiteral("ProfilerStep#1"));
        QTest::keyClick(steps(), Qt::Key_Home);
        QTest::keyClick(steps(), Qt::Key_Return);
        QCOMPARE(revealed.size(), 2);
        QCOMPARE(nameOf(revealed[1][0].value<SliceRef>()), QStringLiteral("ProfilerStep#0"));
        m_session->select(slice);
        settle();
        QCOMPARE(steps()->currentItem(), 1);
    }

    void aFindingLeadsToItsEvidence()
    {
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        QPushButton *finding = nullptr;
        for (QPushButton *button : m_view->findChild<QScrollArea *>()->findChildren<QPushButton *>())
            if (!finding && button->isEnabled())
                finding = button;
        QVERIFY(finding);
        m_view->findChild<QScrollArea *>()->ensureWidgetVisible(finding);
        QTest::mouseClick(finding, Qt::LeftButton);
        QCOMPARE(revealed.size(), 1);
        finding->setFocus(Qt::TabFocusReason);
        QTest::keyClick(finding, Qt::Key_Space);
        QCOMPARE(revealed.size(), 2);
    }

    void aFindingUnfoldsItsRule()
    {
        QToolButton *rule = nullptr;
        for (QToolButton *button : m_view->findChild<QScrollArea *>()->findChildren<QToolButton *>())
            if (!rule && button->text() == QLatin1String("Rule and what may help"))
                rule = button;
        QVERIFY(rule);
        const int before = rule->parentWidget()->height();
        QTest::mouseClick(rule, Qt::LeftButton);
        QApplication::processEvents();
        QVERIFY(rule->parentWidget()->height() > before);
        QTest::mouseClick(rule, Qt::LeftButton);
        QApplication::processEvents();
        QCOMPARE(rule->parentWidget()->height(), before);
    }

    void aButtonLeadsToTheTimeline()
    {
        QSignalSpy asked(m_view.get(), &OverviewPage::timelineRequested);
        for (QPushButton *button : m_view->findChildren<QPushButton *>())
            if (button->text() == QLatin1String("Show the timeline (Esc)"))
                QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(asked.size(), 1);
    }

    void columnsFollowTheWidth()
    {
        const auto lefts = [&] {
            QSet<int> all;
            for (const FigureGrid *grid : m_view->findChildren<FigureGrid *>())
                all.insert(grid->mapTo(m_view.get(), QPoint()).x());
            return all.size();
        };
        QVERIFY(lefts() > 1);
        m_view->resize(420, 400);
        settle();
        QCOMPARE(lefts(), 1);
        QCOMPARE(m_view->findChild<QScrollArea *>()->widget()->width(),
                 m_view->findChild<QScrollArea *>()->viewport()->width());
    }

    void twoRanksLeaveRoomForTwoColumns()
    {
        m_session->setTraces(TraceSet::of(std::vector<std::shared_ptr<const Trace>>(2, m_trace)));
        m_view->resize(1280, 600);
        settle();
        QVERIFY(steps()->mapTo(m_view.get(), QPoint()).x() > 600);
        const FigureGrid *parts = gridCalled("Time in parts that sum");
        QVERIFY(parts->isVisible() && !parts->horizontalScrollBar()->isVisible());
    }

    void aPartOfAnIdleGapHasItsCause()
    {
        m_session->setArea(
            AreaSelection{{1'030'000, 1'040'000}, {}}); // between two kernels, before the second's launch
        settle();
        const FigureGrid *idle = gridCalled("Why devices were idle");
        QCOMPARE(idle->rowCount(), 1);
        QVERIFY2(idle->item(0, 0)->text().contains(QStringLiteral("Host")), qPrintable(idle->item(0, 0)->text()));
        QCOMPARE(idle->item(0, 1)->text(), QStringLiteral("10.00\u00a0µs"));
        QCOMPARE(idle->item(0, 2)->text(), QStringLiteral("100\u00a0%"));
        m_session->setArea(std::nullopt);
    }

    void twoTracesOfOneRankHaveTheirOwnColumns()
    {
        TraceSet set;
        for (const char *path : {"before.json", "after.json"}) {
            auto trace = std::make_shared<Trace>(*m_trace);
            trace->info.path = path;
            trace->info.rank = 0;
            set.add(std::move(trace));
        }
        m_session->setTraces(std::move(set));
        settle();
        const FigureGrid *grid = gridCalled("Device usage");
        QCOMPARE(grid->horizontalHeaderItem(1)->text(), QStringLiteral("Rank 0 (before.json) · GPU 0"));
        const int row = rowOf(grid, "Utilization");
        for (const int column : {1, 3})
            QCOMPARE(grid->item(row, column)->text(), QStringLiteral("72.00\u00a0µs"));
        QCOMPARE(grid->horizontalHeaderItem(3)->text(), QStringLiteral("Rank 0 (after.json) · GPU 0"));
    }

    void manyTracesAreMerged()
    {
        m_session->setTraces(TraceSet::of(std::vector<std::shared_ptr<const Trace>>(5, m_trace)));
        settle();
        const FigureGrid *grid = gridCalled("Device usage");
        QCOMPARE(grid->columnCount(), 5); // name, median with its share, least, largest
        const int row = rowOf(grid, "Utilization");
        QCOMPARE(grid->item(row, 1)->text(), QStringLiteral("72.00\u00a0µs"));
        QCOMPARE(grid->item(row, 2)->text(), QStringLiteral("37.9\u00a0%"));
        QCOMPARE(grid->item(row, 4)->text(), QStringLiteral("72.00\u00a0µs (Rank 0)"));
        QCOMPARE(steps()->itemCount(), 10);
        int findings = 0; // each of them once
        for (const QLabel *label : m_view->findChild<QScrollArea *>()->findChildren<QLabel *>())
            findings += label->text().endsWith(QStringLiteral(" · All traces"));
        QVERIFY(findings > 0);
    }

    void withoutATraceItInvites()
    {
        m_session->setTraces({});
        settle();
        for (const FigureGrid *grid : m_view->findChildren<FigureGrid *>())
            QVERIFY(!grid->isVisible());
        QVERIFY(!steps()->isVisible());
    }

private:
    void settle()
    {
        QApplication::processEvents();
        m_view->refreshNow();
        QTRY_VERIFY(m_view->settled());
        QApplication::processEvents();
    }
    FigureGrid *gridCalled(const char *title) const
    {
        for (FigureGrid *grid : m_view->findChildren<FigureGrid *>())
            if (grid->accessibleName() == QLatin1String(title))
                return grid;
        return nullptr;
    }
    static int rowOf(const FigureGrid *grid, const char *name)
    {
        for (int row = 0; grid && row < grid->rowCount(); ++row)
            if (grid->item(row, 0)->text() == QLatin1String(name))
                return row;
        return -1;
    }
    QList<QToolButton *> folds() const
    {
        QList<QToolButton *> found;
        for (QToolButton *button : m_view->findChildren<QToolButton *>())
            if (button->arrowType() != Qt::NoArrow)
                found += button;
        return found;
    }
    QString figure(const char *title, const char *name, int column = 1) const
    {
        const FigureGrid *grid = gridCalled(title);
        const int row = rowOf(grid, name);
        return row < 0 || !grid->isVisible() ? QStringLiteral("no such figure") : grid->item(row, column)->text();
    }
    BarChart *steps() const { return m_view->findChildren<BarChart *>().at(0); }
    QString nameOf(SliceRef slice) const
    {
        const auto found = m_trace->slice(slice.slice);
        return found ? QString::fromUtf8(m_trace->string(found->data.name).data(),
                                         static_cast<qsizetype>(m_trace->string(found->data.name).size()))
                     : QString();
    }
};

RIFFLE_WIDGET_TEST(OverviewTest)
#include "overview_test.moc"
