// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/details/details_view.h"

#include "tests/model/analysis/small_trace.h"
#include "views/common/table/stack_reader.h"
#include "views/common/table/stack_row_model.h"
#include "views/details/details_html.h"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

using namespace riffle;

class DetailsTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_trace = test::trainingTrace();
        m_session = std::make_unique<Session>();
        m_view = std::make_unique<DetailsView>(m_session.get());
        m_view->resize(400, 700);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_session->setTraces(test::setOf(m_trace));
    }
    void cleanup()
    {
        m_view.reset();
        m_session.reset();
    }

    void saysEverythingOfAnOperator()
    {
        const QString text = shown("aten::linear");
        for (const char *part : {"aten::linear", "cpu_op", "python", "20.000 µs", "[32, 64]", "float", "Scalar",
                                 "MmBackward0", "sgemm", "aten::mm", "train.py(20): train"})
            QVERIFY2(plain(text).contains(plain(QString::fromUtf8(part))), part);
    }

    void linksLeadFromTheKernelToItsModuleAndBack()
    {
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        shown("sgemm");
        for (const char *name : {"cudaLaunchKernel", "aten::mm", "nn.Module: Linear_0"}) {
            const SliceId target = named(name);
            QVERIFY2(page()->toHtml().contains(QStringLiteral("slice:%1\"").arg(target.value)), name);
        }
        follow(named("aten::mm"));
        QCOMPARE(revealed.size(), 1);
        QCOMPARE(revealed.at(0).at(0).value<SliceRef>().slice, named("aten::mm"));
        shown("aten::mm");
        QVERIFY(page()->toHtml().contains(QStringLiteral("slice:%1\"").arg(named("sgemm").value)));
    }

    void aClickOnALinkGoesThere()
    {
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        shown("aten::mm");
        // The first link of the page leads to the parent.
        page()->setFocus();
        QTest::keyClick(page(), Qt::Key_Tab);
        QTest::keyClick(page(), Qt::Key_Return);
        QCOMPARE(revealed.size(), 1);
        QCOMPARE(revealed.at(0).at(0).value<SliceRef>().slice, named("aten::linear"));
    }

    void allTextCanBeSelectedAndCopied()
    {
        shown("aten::linear");
        page()->setFocus();
        QTest::keyClick(page(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(page(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().contains(QLatin1String("cpu_op")));
    }

    void pageKeysScrollWhereverTheCursorIs()
    {
        shown("aten::linear");
        m_view->resize(400, 300);
        page()->setFocus();
        QScrollBar *bar = page()->verticalScrollBar();
        QVERIFY(bar->maximum() > 0);
        // In the cells of some tables, the cursor that QTextEdit moves for a page comes to no end.
        for (int at = 0; at < page()->document()->characterCount(); at += 7)
            for (const Qt::KeyboardModifiers held : {Qt::NoModifier, Qt::ShiftModifier}) {
                QTextCursor cursor = page()->textCursor();
                cursor.setPosition(at);
                page()->setTextCursor(cursor);
                bar->setValue(0);
                QTest::keyClick(page(), Qt::Key_PageDown, held);
                QCOMPARE(bar->value(), std::min(bar->pageStep(), bar->maximum()));
                QTest::keyClick(page(), Qt::Key_PageUp, held);
                QCOMPARE(bar->value(), 0);
            }
    }

    void theStackFoldsWhatIsNotTheUsersOwn()
    {
        shown("sgemm");
        auto *reader = m_view->findChild<StackReader *>();
        QVERIFY(reader->isVisible());
        QCOMPARE(reader->frames().size(), size_t(3));
        QCOMPARE(firstOwnFrame(reader->frames()), size_t(2));
        auto *list = reader->findChild<QTreeView *>();
        QCOMPARE(list->model()->rowCount(), 3); // the folded PyTorch frames, the module and the user's own frame
        QCOMPARE(list->model()->rowCount(list->model()->index(0, 0)), 1);
        QCOMPARE(list->model()->index(2, 0).data().toString(), QStringLiteral("train  train.py:20"));
    }

    void aFrameOpensInTheEditor()
    {
        QSignalSpy opened(m_view.get(), &DetailsView::openFileRequested);
        shown("sgemm");
        auto *list = m_view->findChild<StackReader *>()->findChild<QTreeView *>();
        list->setCurrentIndex(list->model()->index(2, 0));
        list->setFocus();
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(opened.size(), 1);
        QCOMPARE(opened.at(0).at(0).toString(), QStringLiteral("train.py"));
        QCOMPARE(opened.at(0).at(1).toInt(), 20);
    }

    void threeHundredFramesAreSearchedAndCopied()
    {
        std::vector<StackFrame> frames;
        for (int i = 0; i < 300; ++i)
            frames.push_back(
                parseFrame((i % 3 ? "torch/nn/module.py(" : "mine/模型.py(") + std::to_string(i + 1) + "): call"));
        StackReader reader;
        reader.resize(400, 300);
        reader.show();
        reader.setFrames(frames);
        reader.findChild<QToolButton *>()->click();
        auto *search = reader.findChild<QLineEdit *>();
        QTest::keyClicks(search, QStringLiteral(".py(300)"));
        QCOMPARE(reader.findChild<QTreeView *>()->model()->rowCount(), 1);
        reader.copyAll();
        QCOMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), 300);
    }

    void nothingIsLeftWhenNothingIsSelected()
    {
        shown("sgemm");
        m_session->select({});
        QTRY_VERIFY(!page()->toPlainText().contains(QLatin1String("sgemm")));
    }

    void markupInNamesStaysText()
    {
        test::SmallTrace small;
        small.operation(small.thread(1), "void f<b>(int) & 名前", 0, 10);
        m_trace = small.seal();
        m_session->setTraces(test::setOf(m_trace));
        const QString text = shown("void f<b>(int) & 名前");
        QVERIFY(plain(text).contains(plain(QStringLiteral("void f<b>(int) & 名前"))));
    }

private:
    SliceId named(std::string_view name) const { return test::sliceNamed(*m_trace, name); }
    QTextBrowser *page() const { return m_view->findChild<QTextBrowser *>(); }
    static QString plain(QString text)
    {
        return text.remove(QChar(0x200B))
            .replace(QChar(0xA0), QLatin1Char(' '))
            .replace(QChar(0x202F), QLatin1Char(' '));
    }
    QString shown(std::string_view name)
    {
        m_session->select({TraceId(0), named(name)});
        QApplication::processEvents();
        if (!QTest::qWaitFor([this] { return m_view->settled(); }))
            qWarning("the details did not settle");
        QString text = page()->toPlainText();
        for (const StackFrame &frame : m_view->findChild<StackReader *>()->frames())
            text += QString::fromStdString(frame.text);
        return text;
    }
    void follow(SliceId slice) { emit page()->anchorClicked(QUrl(QStringLiteral("slice:%1").arg(slice.value))); }

    std::shared_ptr<const Trace> m_trace;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<DetailsView> m_view;
};

RIFFLE_WIDGET_TEST(DetailsTest)
#include "details_test.moc"
