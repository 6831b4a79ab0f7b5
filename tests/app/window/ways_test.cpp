// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/app/window_case.h"

#include "app/session/history.h"
#include "app/window/commands/command_list.h"
#include "app/window/shell/page_bar.h"
#include "app/window/shell/tab_dock.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/chip_bar.h"
#include "views/common/table/summary_table.h"
#include "views/search/find_bar.h"
#include "views/summary/summary_pane.h"
#include "views/timeline/colour_legend.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/navigation.h"
#include "views/timeline/slice_menu.h"
#include "views/timeline/timeline_state.h"

#include <QAbstractButton>
#include <QClipboard>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QToolButton>

#include <algorithm>

using namespace riffle;

/// Back and forward, filters that come back, and gestures that are in menus.
class WaysTest : public SampleCase {
    Q_OBJECT

private slots:
    void initTestCase() { prepareSample(QStringLiteral("riffle-ways-test")); }
    void init()
    {
        openSampleAfresh();
        m_window->timeline()->setFocus();
        history()->settle();
    }
    void cleanup() { closeWindow(); }

    void backAndForwardRestoreTheTableItsGroupingAndTheDock()
    {
        m_window->bringForward(QStringLiteral("operators"));
        history()->settle();
        pane()->choose(QStringLiteral("operators"), QStringLiteral("name,shapes"));
        QCOMPARE(pane()->grouping(), QStringLiteral("name,shapes"));
        QTRY_VERIFY(m_window->settled());
        history()->settle();
        m_window->bringForward(QStringLiteral("steps"));
        m_window->workspace()->setDockSize(Workspace::DockSize::Full);
        history()->settle();
        m_window->showPage(QStringLiteral("overview"));
        history()->settle();
        key(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("timeline"));
        QCOMPARE(m_window->workspace()->dockSize(), Workspace::DockSize::Full);
        QCOMPARE(m_window->workspace()->dock()->current(), QStringLiteral("steps"));
        key(Qt::Key_Left, Qt::AltModifier);
        QVERIFY(m_window->isInFront(QStringLiteral("operators")));
        QCOMPARE(pane()->grouping(), QStringLiteral("name,shapes"));
        QCOMPARE(m_window->workspace()->dockSize(), Workspace::DockSize::Open);
        key(Qt::Key_Left, Qt::AltModifier);
        QVERIFY(pane()->grouping() != QLatin1String("name,shapes"));
        for (int i = 0; i < 3; ++i)
            key(Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("overview"));
    }

    void theButtonsAreThereWhereThereIsRoom()
    {
        const auto *bar = m_window->findChild<PageBar *>();
        const auto isShown = [bar](const QString &text) {
            return std::ranges::any_of(bar->findChildren<QToolButton *>(), [&](const QToolButton *button) {
                return button->text() == text && button->isVisible();
            });
        };
        QVERIFY(isShown(QStringLiteral("‹")) && isShown(QStringLiteral("›")));
        m_window->resize(1024, 700);
        QTRY_VERIFY(!isShown(QStringLiteral("‹")));
        QCOMPARE(m_window->width(), 1024);
    }

    void theBarIsNotCutInANarrowWindow()
    {
        m_window->resize(1024, 700);
        Filters filters;
        filters.name = "a long name of a slice that is filtered by its name";
        filters.steps = {1, 2};
        filters.text = "gemm";
        session()->setFilters(filters);
        QTRY_COMPARE(m_window->chipBar()->chips().size(), 3);
        QApplication::processEvents();
        QCOMPARE(m_window->width(), 1024);
        const auto *bar = m_window->findChild<PageBar *>();
        QRect before;
        for (const QWidget *widget : bar->findChildren<QWidget *>()) {
            if (!widget->isVisible() || !(qobject_cast<const QAbstractButton *>(widget) || widget == find()->box()))
                continue;
            if (find()->box()->isAncestorOf(widget))
                continue;
            const QRect place(widget->mapTo(bar, QPoint()), widget->size());
            QVERIFY2(bar->rect().contains(place), widget->metaObject()->className());
            QVERIFY(!qobject_cast<const QToolButton *>(widget) || widget->width() >= widget->sizeHint().width());
        }
        QVERIFY(find()->box()->width() >= find()->box()->minimumWidth());
    }

    void theLastFilterComesBack()
    {
        Filters filters;
        filters.name = "gemm";
        session()->setFilters(filters);
        key(Qt::Key_Escape);
        QVERIFY(session()->filters().empty());
        key(Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(session()->filters().name, std::string("gemm"));
    }

    void aClassInTheLegendFiltersTheTables()
    {
        m_window->bringForward(QStringLiteral("kernels"));
        const auto *table = static_cast<SummaryPane *>(m_window->view(QStringLiteral("kernels")))->table();
        QTRY_VERIFY(m_window->settled() && table->rows().rowCount() > 1);
        const int all = table->rows().rowCount();
        QAbstractButton *communication = nullptr;
        for (auto *entry : m_window->findChild<ColourLegend *>()->findChildren<QAbstractButton *>())
            if (entry->text() == QLatin1String("Communication"))
                communication = entry;
        QVERIFY(communication);
        QTest::mouseClick(communication, Qt::LeftButton);
        QCOMPARE(m_window->findChild<ChipBar *>()->chips(), QStringList{"Class: Communication"});
        QTRY_VERIFY(m_window->settled() && table->rows().rowCount() < all);
        QVERIFY(table->rows().rowCount() > 0);
        for (int row = 0; row < table->rows().rowCount(); ++row)
            QVERIFY(table->rows().index(row, 0).data().toString().startsWith(QLatin1String("nccl")));
        m_window->timeline()->setFocus();
        key(Qt::Key_Escape);
        QVERIFY(!communication->isChecked());
        QTRY_COMPARE(table->rows().rowCount(), all);
    }

    void theMenusMoveTheViewAsTheKeysDo()
    {
        const TimeSpan before = session()->pane()->visibleRange();
        trigger("Zoom in");
        QVERIFY(session()->pane()->visibleRange().duration() < before.duration());
        const TimeSpan zoomed = session()->pane()->visibleRange();
        trigger("Move right");
        QVERIFY(session()->pane()->visibleRange().begin > zoomed.begin);
        trigger("Show everything");
        QCOMPARE(session()->pane()->visibleRange(), session()->pane()->wholeRange());
        for (const Command &command : commandsOf(*m_window->menuBar()))
            if (command.title == QLatin1String("Zoom in"))
                QCOMPARE(command.keys, QStringLiteral("w"));
    }

    void theMenuOfASlice()
    {
        const SliceRef slice = firstKernel();
        const Trace &trace = *session()->traces().trace(slice.trace);
        const auto known = *trace.slice(slice.slice);
        const auto name = QString::fromStdString(std::string(trace.string(known.data.name)));
        QMenu menu;
        QVERIFY(fillSliceMenu(&menu, &m_window->timeline()->state(), &m_window->timeline()->navigation(), slice));
        choose(menu, "Copy name");
        QCOMPARE(QApplication::clipboard()->text(), name);
        choose(menu, "Copy as a row");
        const QStringList cells = QApplication::clipboard()->text().split(QLatin1Char('\t'));
        QCOMPARE(cells.size(), 4);
        QCOMPARE(cells[0], name);
        QCOMPARE(cells[1], QString::fromStdString(trace.laneName(known.lane)));
        choose(menu, "Fit into the view");
        const TimeSpan seen = session()->pane()->visibleRange();
        QVERIFY(seen.begin <= known.data.start && seen.duration() < 2 * known.data.duration);
        choose(menu, "Mark, or remove the mark");
        QCOMPARE(session()->marks().size(), size_t(1));
        choose(menu, "Find in the tables");
        QVERIFY(m_window->isInFront(QStringLiteral("kernels")));
        const auto *table = static_cast<SummaryPane *>(m_window->view(QStringLiteral("kernels")))->table();
        QTRY_COMPARE(table->rows().rowCount(), 1);
        const QString row = table->rows().index(0, 0).data().toString(); // a short form of the name
        QVERIFY2(name.contains(row.section(QLatin1Char('<'), 0, 0)), qPrintable(row));
        choose(menu, "Filter out the name");
        QCOMPARE(session()->filters().withoutNames, std::vector{name.toStdString()});
        const LaneRef lane{slice.trace, known.lane};
        choose(menu, "Hide the lane");
        QVERIFY(!m_window->timeline()->state().layout().find(lane));
    }

    void lettersMoveTheViewWhereverNoTextIsTyped()
    {
        m_window->bringForward(QStringLiteral("operators"));
        QTRY_VERIFY(m_window->settled());
        m_window->timeline()->setFocus();
        int stops = 0;
        for (; stops < 60; ++stops) {
            QTest::keyClick(m_window->focusWidget(), Qt::Key_Tab);
            QWidget *stop = m_window->focusWidget();
            if (stop == m_window->timeline())
                break;
            if (qobject_cast<QLineEdit *>(stop))
                continue;
            session()->pane()->setVisibleRange(session()->pane()->wholeRange());
            const TimeSpan before = session()->pane()->visibleRange();
            QTest::keyClick(stop, Qt::Key_W);
            QVERIFY2(session()->pane()->visibleRange().duration() < before.duration(),
                     qPrintable(QString::fromLatin1(stop->metaObject()->className()) + QLatin1Char(' ') +
                                stop->accessibleName() + stop->objectName()));
        }
        QVERIFY(stops > 8 && stops < 60);
    }

    void aClickInTheListGoesToAResult()
    {
        key(Qt::Key_Slash);
        QTest::keyClicks(find()->box(), QStringLiteral("gemm"));
        QTRY_VERIFY(find()->settled());
        ChoiceList *list = find()->list();
        QVERIFY(list->isVisible());
        const QRect row = list->visualRect(list->model()->index(3, 0)); // the second result
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.center());
        QVERIFY(!list->isVisible());
        QVERIFY(session()->selected().valid());
        QCOMPARE(find()->hits().rank(session()->selected()), uint64_t(1));
        QVERIFY(m_window->timeline()->hasFocus());
    }

    void theBarFindsAndGoesFromAnyPage()
    {
        m_window->showPage(QStringLiteral("overview"));
        key(Qt::Key_F, Qt::ControlModifier);
        QVERIFY(find()->box()->hasFocus());
        QTest::keyClicks(find()->box(), QStringLiteral("stream 7"));
        QTRY_VERIFY(find()->settled());
        key(Qt::Key_Escape);
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("overview"));
        key(Qt::Key_G, Qt::ControlModifier);
        QTest::keyClick(find()->box(), Qt::Key_Return);
        QTRY_COMPARE(m_window->workspace()->page(), QStringLiteral("timeline"));
    }

    /// The palette triggers actions whose menu was never shown, so whose check marks are old.
    void switchesFollowTheLanesNotTheirCheckMarks()
    {
        const auto action = [this](const char *title) {
            for (QAction *one : m_window->findChildren<QAction *>())
                if (one->text().remove(QLatin1Char('&')) == QLatin1String(title))
                    return one;
            return static_cast<QAction *>(nullptr);
        };
        QAction *byName = action("Group lanes of several ranks by name"), *frames = action("Show all Python frames");
        QVERIFY(byName && frames);
        m_window->timeline()->groupByName(true);
        m_window->timeline()->showAllFrames(true);
        byName->trigger();
        frames->trigger();
        QVERIFY(!m_window->timeline()->isGroupedByName());
        QVERIFY(!m_window->timeline()->showsAllFrames());
    }

private:
    History *history() const { return m_window->findChild<History *>(); }
    FindBar *find() const { return m_window->findBar(); }
    SummaryPane *pane() const { return static_cast<SummaryPane *>(m_window->view(QStringLiteral("operators"))); }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(m_window->focusWidget() ? m_window->focusWidget() : m_window.get(), key, modifiers);
    }
    void trigger(const char *title)
    {
        for (const Command &command : commandsOf(*m_window->menuBar()))
            if (command.title == QLatin1String(title))
                return command.run();
        QFAIL(title);
    }
    static void choose(const QMenu &menu, const char *start)
    {
        for (QAction *action : menu.actions())
            if (action->text().startsWith(QLatin1String(start)))
                return action->trigger();
        QFAIL(start);
    }
    SliceRef firstKernel()
    {
        const Trace &trace = *session()->traces().trace(TraceId(0));
        for (const auto &segment : trace.segments)
            for (const uint32_t slice : segment->device.slice)
                if (trace.string(trace.slice(SliceId(slice))->data.category) == "kernel")
                    return {TraceId(0), SliceId(slice)};
        qFatal("the sample has no kernel");
    }
};

RIFFLE_WIDGET_TEST(WaysTest)
#include "ways_test.moc"
