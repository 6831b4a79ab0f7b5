// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Ten questions that people come with, each answered by real keys and clicks, of which it may take four at most.
#include "tests/app/window_case.h"

#include "app/window/samples.h"
#include "app/window/shell/tab_dock.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/notice_bar.h"
#include "views/common/memory/memory_session.h"
#include "views/common/table/summary_table.h"
#include "views/details/details_view.h"
#include "views/search/find_bar.h"
#include "views/strip/strip_item.h"
#include "views/strip/strip_view.h"
#include "views/timeline/hover_card.h"
#include "views/timeline/lanes_canvas.h"

#include <QAction>
#include <QClipboard>
#include <QFile>
#include <QLineEdit>
#include <QMenuBar>
#include <QTextBrowser>
#include <QTreeView>

#include <algorithm>

using namespace riffle;

class TenTasksTest : public SampleCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepareSample(QStringLiteral("riffle-ten-tasks-test"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank1.pt.trace.json.gz"), slowSample()));
    }
    void init()
    {
        openSampleAfresh();
        m_window->timeline()->setFocus();
        m_gestures = 0;
    }
    void cleanup()
    {
        QVERIFY2(m_gestures <= 4, qPrintable(QString::number(m_gestures)));
        closeWindow();
    }

    void whyIsAStepSlow()
    {
        key(Qt::Key_Slash);
        type(QStringLiteral("step 2"));
        key(Qt::Key_Return);
        const Step &step = session()->stepsOf(TraceId(0))[2];
        const TimeSpan span = session()->traces().time(TraceId(0)).toSet(step.span);
        QTRY_VERIFY(covers(session()->pane()->visibleRange(), span));
        clickTab(QStringLiteral("critical-path"));
        QTRY_VERIFY(rowsOf(QStringLiteral("critical-path")) > 0);
    }

    void whichLineLaunchedAKernel()
    {
        const SliceRef kernel = firstNamed("gemm");
        session()->pane()->setVisibleRange(spanOf(kernel));
        QTRY_VERIFY(m_window->settled());
        clickSlice(kernel);
        const auto *page = m_window->view(QStringLiteral("details"))->findChild<QTextBrowser *>();
        QTRY_VERIFY2(page->toPlainText().contains(QStringLiteral("train.py")), qPrintable(page->toPlainText()));
    }

    void whatFillsThePeak()
    {
        openSnapshot();
        key(Qt::Key_P);
        clickTab(QStringLiteral("memory-alive"));
        QTRY_VERIFY(m_window->settled());
        QVERIFY(m_window->isInFront(QStringLiteral("memory-alive")));
        const auto *rows = m_window->view(QStringLiteral("memory-alive"))->findChild<QTreeView *>();
        QVERIFY(rows && rows->model()->rowCount() > 0);
    }

    void whichCollectiveIsExposed()
    {
        clickStrip(QStringLiteral("Exposed communication"));
        QTRY_VERIFY(m_window->settled());
        QVERIFY(!m_window->workspace()->dock()->isFolded());
        QCOMPARE(shownTable().view, std::string("collectives"));
        QTRY_VERIFY(shownTable().rows() > 0);
        const ResultTable &table = shownTable();
        bool isExposed = false; // part of a collective runs while nothing computes
        for (uint32_t row = 0; row < table.rows(); ++row)
            isExposed = isExposed ||
                        table.column("device_total_ns")->integers[row] > table.column("overlapped_ns")->integers[row];
        QVERIFY(isExposed);
    }

    void whatRunsWhileTheDeviceIdles()
    {
        clickStrip(QStringLiteral("Idle"));
        QTRY_VERIFY(m_window->settled());
        QVERIFY(!m_window->workspace()->dock()->isFolded());
        const ResultTable &table = shownTable();
        Ns causes = 0, idle = 0;
        for (uint32_t row = 0; row < table.rows(); ++row) {
            const Ns time = table.column("time_ns")->integers[row];
            if (table.column("section")->texts[row] == "idle")
                causes += time;
            else if (table.column("section")->texts[row] == "device" && table.column("name")->texts[row] == "idle")
                idle = time;
        }
        QVERIFY(idle > 0);
        QCOMPARE(causes, idle);
    }

    void isItTheDataLoader()
    {
        OpenRequest request;
        request.files = {slowSample()};
        open(request);
        m_gestures = 0;
        // The strip says so without any gesture.
        QTRY_VERIFY2(strip(QStringLiteral("Idle"))->accessibleName().contains(QStringLiteral("DataLoader")),
                     qPrintable(strip(QStringLiteral("Idle"))->accessibleName()));
    }

    void twoStepsSideBySide()
    {
        clickTab(QStringLiteral("steps"));
        QTRY_COMPARE(rowsOf(QStringLiteral("steps")), uint32_t{3});
    }

    void everyInstanceOfAnOperatorAndItsSlowest()
    {
        clickTab(QStringLiteral("operators"));
        QTRY_VERIFY(rowsOf(QStringLiteral("operators")) > 0);
        QTRY_VERIFY(m_window->settled());
        key(Qt::Key_Down);   // a row has the number of its instances
        key(Qt::Key_Return); // to its longest one
        QTRY_VERIFY(session()->selected().valid());
        const auto chosen = trace().slice(session()->selected().slice);
        Ns longest = 0;
        for (uint32_t id = 0; id < trace().sliceCount(); ++id)
            if (const auto slice = trace().slice(SliceId(id)); slice->data.name == chosen->data.name)
                longest = std::max(longest, slice->data.duration);
        QCOMPARE(chosen->data.duration, longest);
    }

    void handThisPlaceToAColleague()
    {
        session()->select(firstNamed("gemm"));
        key(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        const QString command = QApplication::clipboard()->text();
        QVERIFY2(command.contains(QStringLiteral("--select")) && command.contains(QStringLiteral("--view")),
                 qPrintable(command));
    }

    void whatChangedOnDisk()
    {
        QFile file(sample());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray content = file.readAll();
        file.close();
        QVERIFY(QFile::remove(sample()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content + content), 2 * content.size()); // gzip members follow each other
        file.close();
        QTRY_VERIFY(m_window->changesBar()->isVisible());
        QVERIFY(m_window->changesBar()->text().contains(QFileInfo(sample()).fileName()));
        key(Qt::Key_F5);
        QTRY_VERIFY(m_window->settled());
        QTRY_VERIFY(!m_window->changesBar()->isVisible());
    }

private:
    QString slowSample() const { return path(QStringLiteral("rank1.pt.trace.json.gz")); }
    const Trace &trace() { return *session()->traces().trace(TraceId(0)); }
    SliceRef firstNamed(std::string_view part)
    {
        for (uint32_t id = 0; id < trace().sliceCount(); ++id)
            if (const auto slice = trace().slice(SliceId(id));
                slice->data.flags & slice_flag::OnStream && trace().string(slice->data.name).find(part) != part.npos)
                return {TraceId(0), SliceId(id)};
        return {};
    }
    TimeSpan spanOf(SliceRef ref)
    {
        const auto slice = trace().slice(ref.slice);
        const TimeSpan span = session()->traces().time(ref.trace).toSet(TimeSpan{slice->data.start, slice->end()});
        return {span.begin - span.duration(), span.end + span.duration()};
    }
    static bool covers(TimeSpan whole, TimeSpan part) { return whole.begin <= part.begin && whole.end >= part.end; }
    const ResultTable &shownTable()
    {
        return m_window->workspace()->dock()->currentView()->findChild<SummaryTable *>()->table();
    }
    uint32_t rowsOf(const QString &id) { return m_window->view(id)->findChild<SummaryTable *>()->table().rows(); }
    StripItem *strip(const QString &title)
    {
        for (StripItem *item : m_window->strip()->findChildren<StripItem *>())
            if (item->text() == title)
                return item;
        return nullptr;
    }
    void openSnapshot()
    {
        const auto found = std::ranges::find_if(samples(), [](const Sample &one) {
            return std::string_view(one.id).find("memory") != std::string_view::npos;
        });
        QVERIFY(found != samples().end());
        const auto files = unpackSample(*found, path(QStringLiteral("snapshot")));
        QVERIFY(files);
        OpenRequest request;
        request.files = *files;
        m_window->open(request);
        QTRY_VERIFY(!session()->memory()->empty() && m_window->settled());
        m_window->workspace()->pageWidget()->setFocus();
        m_gestures = 0;
    }

    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        ++m_gestures;
        QWidget *focus = m_window->focusWidget();
        QTest::keyClick(focus ? focus : m_window.get(), key, modifiers);
    }
    void type(const QString &text)
    {
        ++m_gestures;
        QTest::keyClicks(m_window->focusWidget(), text);
        QTRY_VERIFY(m_window->findBar()->settled());
    }
    void clickSlice(SliceRef slice)
    {
        ++m_gestures;
        LanesCanvas &canvas = m_window->timeline()->canvas();
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, canvas.rectOf(slice)->center().toPoint());
        QCOMPARE(session()->selected(), slice);
    }
    void clickStrip(const QString &title)
    {
        QTRY_VERIFY(strip(title) && strip(title)->isVisible());
        ++m_gestures;
        QTest::mouseClick(strip(title), Qt::LeftButton);
    }
    /// The key or the click that shows a table.
    void clickTab(const QString &id)
    {
        ++m_gestures;
        QAction *show = nullptr;
        for (QAction *action : m_window->findChildren<QAction *>())
            if (action->objectName() == QLatin1String("table.") + id)
                show = action;
        QVERIFY2(show, qPrintable(id));
        show->trigger();
    }

    int m_gestures = 0;
};

RIFFLE_WIDGET_TEST(TenTasksTest)
#include "ten_tasks_test.moc"
