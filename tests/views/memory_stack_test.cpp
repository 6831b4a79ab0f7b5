// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Allocations of a trace with their enclosing slices: operator, module, Python functions.
#include "tests/model/analysis/small_trace.h"
#include "tests/support/import_text.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/table/summary_table.h"
#include "views/summary/stack_pane.h"
#include "views/summary/summary_pane.h"
#include "views/summary/summary_side.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>
#include <QTreeWidget>

using namespace riffle;

class MemoryStackTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        const auto slice = [](const char *category, const char *name, int thread, int begin, int end) {
            return QStringLiteral(
                       "{\"ph\":\"X\",\"cat\":\"%1\",\"name\":\"%2\",\"pid\":1,\"tid\":%3,\"ts\":%4,\"dur\":%5},")
                .arg(QLatin1String(category), QLatin1String(name))
                .arg(thread)
                .arg(begin)
                .arg(end - begin);
        };
        const auto memory = [](int time, int thread, int address, int bytes) {
            return QStringLiteral("{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\","
                                  "\"pid\":1,\"tid\":%1,\"ts\":%2,\"args\":{\"Addr\":%3,"
                                  "\"Bytes\":%4,\"Total Allocated\":9000,\"Total Reserved\":9000,\"Device "
                                  "Type\":1,\"Device Id\":0}},")
                .arg(thread)
                .arg(time)
                .arg(address)
                .arg(bytes);
        };
        QString text = QStringLiteral("{\"traceEvents\":[");
        text += slice("python_function", "/home/me/train.py(20): train", 1, 0, 1000);
        text += slice("python_function", "nn.Module: Linear_0", 1, 100, 500);
        text += slice("python_function", "torch/nn/functional.py(7): linear", 1, 120, 480);
        text += slice("cpu_op", "aten::linear", 1, 150, 400);
        text += slice("cpu_op", "aten::empty", 1, 200, 300);
        text += slice("cpu_op", "aten::mm", 2, 600, 700);  // on another thread
        text += slice("cpu_op", "aten::bmm", 2, 800, 900); // the backward of aten::linear
        text += QStringLiteral(
            "{\"ph\":\"s\",\"id\":7,\"pid\":1,\"tid\":1,\"ts\":150,\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\"},"
            "{\"ph\":\"f\",\"bp\":\"e\",\"id\":7,\"pid\":1,\"tid\":2,\"ts\":800,\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\"}"
            ",");
        text += memory(850, 2, 80, 4000) + memory(250, 1, 16, 1000) + memory(650, 2, 32, 2000) +
                memory(260, 1, 64, 500) + memory(2000, 1, 48, 3000);
        text.chop(1);
        auto trace = test::importText((text + QStringLiteral("]}")).toStdString());
        QVERIFY(trace);
        m_session = std::make_unique<Session>();
        m_session->setTraces(test::setOf(*trace));
        m_pane = std::make_unique<SummaryPane>(m_session.get(), std::vector<const char *>{"memory", "memory-events"});
        m_pane->choose(QStringLiteral("memory-events"));
        m_pane->resize(1200, 300);
        m_pane->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_pane.get()));
        QTRY_VERIFY(m_pane->table()->rows().rowCount() > 0 && m_pane->settled());
        QApplication::processEvents(); // so that the widgets are laid out
    }
    void cleanup()
    {
        m_pane.reset();
        m_session.reset();
    }

    void theSlicesAroundAnAllocationStandBesideIt()
    {
        goTo(1000);
        QVERIFY(stack()->isVisible());
        QCOMPARE(shown(), (QStringList{"aten::empty|operator", "aten::linear|operator",
                                       "torch/nn/functional.py(7): linear|Python", "nn.Module: Linear_0|module",
                                       "/home/me/train.py(20): train|Python"}));
        QCOMPARE(stack()->said(), QStringLiteral("aten::empty, in nn.Module: Linear_0"));
        QVERIFY(stack()->list()->topLevelItem(4)->font(0).bold() && !stack()->list()->topLevelItem(2)->font(0).bold());
    }
    void onAnotherThreadOthersAre()
    {
        goTo(2000);
        QCOMPARE(shown(), QStringList{"aten::mm|operator"});
        QVERIFY2(stack()->said().contains(QStringLiteral("with_stack=True")), qPrintable(stack()->said()));
    }
    void ofTheBackwardPassTheForwardOperatorIsTold()
    {
        goTo(4000);
        QCOMPARE(shown(),
                 (QStringList{"aten::bmm|operator", "aten::linear|operator, forward",
                              "torch/nn/functional.py(7): linear|Python, forward",
                              "nn.Module: Linear_0|module, forward", "/home/me/train.py(20): train|Python, forward"}));
        QCOMPARE(stack()->said(), QStringLiteral("aten::bmm, backward of nn.Module: Linear_0"));
        clickItem(1);
        QCOMPARE(selectedName(), QStringLiteral("aten::linear"));
    }
    void whereNothingIsAroundItSaysSo()
    {
        goTo(3000);
        QVERIFY(shown().isEmpty() && !stack()->list()->isVisible());
        QVERIFY2(stack()->said().startsWith(QStringLiteral("No slices were recorded")), qPrintable(stack()->said()));
    }
    void aClickGoesThere()
    {
        goTo(1000);
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        clickItem(3);
        QCOMPARE(selectedName(), QStringLiteral("nn.Module: Linear_0"));
        QCOMPARE(revealed.size(), 1);
        QTest::keyClick(stack()->list(), Qt::Key_Down);
        QTest::keyClick(stack()->list(), Qt::Key_Return);
        QCOMPARE(selectedName(), QStringLiteral("/home/me/train.py(20): train"));
    }
    void aDoubleClickOnTheRowGoesToItsSlice()
    {
        const QRect cell = cellOf(rowOf(2000));
        QTest::mouseClick(m_pane->table()->view()->viewport(), Qt::LeftButton, {}, cell.center());
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        QTest::mouseDClick(m_pane->table()->view()->viewport(), Qt::LeftButton, {}, cell.center());
        QCOMPARE(revealed.size(), 1);
        QCOMPARE(nameOf(revealed.front().front().value<SliceRef>()), QStringLiteral("aten::mm"));
    }
    void allocationsCanBeAddedUpByStack()
    {
        m_pane->choose(QStringLiteral("memory-events"), QStringLiteral("stack"));
        QTRY_VERIFY(m_pane->table()->table().column("stack") && m_pane->settled());
        const ResultTable &table = m_pane->table()->table();
        QCOMPARE(table.rows(), size_t(4));
        const auto row = rowOf(1500);
        QCOMPARE(table.column("stack")->texts[row],
                 std::string("aten::empty; aten::linear; torch/nn/functional.py(7): linear; nn.Module: Linear_0; "
                             "/home/me/train.py(20): train"));
        QCOMPARE(table.column("allocations")->integers[row], int64_t(2));
        goTo(1500);
        QCOMPARE(shown().size(), 5);
    }
    void otherTablesHaveNoStack()
    {
        m_pane->choose(QStringLiteral("memory"));
        QTRY_VERIFY(m_pane->settled());
        QVERIFY(!m_pane->findChild<SummarySide *>()->isVisible());
    }

private:
    StackPane *stack() { return m_pane->findChild<StackPane *>(); }
    QStringList shown()
    {
        QStringList rows;
        for (int at = 0; at < stack()->list()->topLevelItemCount(); ++at)
            rows += stack()->list()->topLevelItem(at)->text(0) + QLatin1Char('|') +
                    stack()->list()->topLevelItem(at)->text(1);
        return rows;
    }
    QString selectedName() { return nameOf(m_session->selected()); }
    QString nameOf(SliceRef slice)
    {
        const Trace *trace = m_session->traces().trace(slice.trace);
        return slice.valid() ? QString::fromStdString(std::string(trace->string(trace->slice(slice.slice)->data.name)))
                             : QString();
    }
    uint32_t rowOf(int64_t bytes)
    {
        const auto &cells = m_pane->table()->table().column("bytes")->integers;
        return static_cast<uint32_t>(std::find(cells.begin(), cells.end(), bytes) - cells.begin());
    }
    QRect cellOf(uint32_t row)
    {
        QTreeView *view = m_pane->table()->view();
        const QRect cell = view->visualRect(m_pane->table()->rows().indexOf(row));
        return QRect(5, cell.top(), 40, cell.height());
    }
    void goTo(int64_t bytes)
    {
        QTest::mouseClick(m_pane->table()->view()->viewport(), Qt::LeftButton, {}, cellOf(rowOf(bytes)).center());
        QCOMPARE(m_pane->table()->currentRow(), std::optional(rowOf(bytes)));
    }
    void clickItem(int row)
    {
        QTreeWidget *list = stack()->list();
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->topLevelItem(row)).center());
    }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<SummaryPane> m_pane;
};

RIFFLE_WIDGET_TEST(MemoryStackTest)
#include "memory_stack_test.moc"
