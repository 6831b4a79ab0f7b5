// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/app/window_case.h"

#include "tests/support/qt/widget_tests.h"
#include "views/common/table/summary_table.h"

#include <QDockWidget>
#include <QFile>
#include <QMenu>
#include <QMenuBar>
#include <QTest>
#include <QTreeView>

using namespace riffle;

class DocksTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-docks-test"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), sample()));
    }
    void init()
    {
        QFile::remove(path(QStringLiteral("settings.ini")));
        makeWindow();
        OpenRequest request;
        request.files = {sample()};
        open(request);
    }
    void cleanup() { closeWindow(); }

    void ctrlAndADigitShowsRaisesAndFocusesThenCloses()
    {
        // Operators is the sixth view, and a tab behind Overview at first.
        QVERIFY(!dock("operators")->isHidden() && !inFront("operators"));
        press(Qt::Key_6);
        QVERIFY(inFront("operators"));
        QVERIFY(dock("operators")->isAncestorOf(m_window->focusWidget()));
        QVERIFY(qobject_cast<QTreeView *>(m_window->focusWidget()));
        press(Qt::Key_3);
        QVERIFY(inFront("overview") && !inFront("operators"));
        QVERIFY(!dock("operators")->isHidden());
        press(Qt::Key_6);
        QVERIFY(inFront("operators"));
        press(Qt::Key_6);
        QVERIFY(dock("operators")->isHidden());
        press(Qt::Key_6);
        QVERIFY(inFront("operators"));
    }

    void theMenuShowsATabThatIsBehindAndClosesOneInFront()
    {
        QAction *kernels = entry(QStringLiteral("Kernels"));
        QVERIFY(kernels && kernels->isChecked() && !inFront("kernels"));
        kernels->trigger();
        QVERIFY(inFront("kernels") && kernels->isChecked());
        kernels->trigger();
        QVERIFY(dock("kernels")->isHidden() && !kernels->isChecked());
        QAction *marks = entry(QStringLiteral("Marks"));
        QVERIFY(!marks->isChecked());
        marks->trigger();
        QVERIFY(inFront("marks") && marks->isChecked());
        dock("marks")->close();
        QVERIFY(!marks->isChecked());
    }

    void theTableOfAnAreaIsRaisedAndTheDocksKeepTheirHeight()
    {
        const int height = dock("overview")->height();
        QVERIFY(height > 100);
        session()->setArea(AreaSelection{session()->traces().span(), {}});
        QTRY_VERIFY(inFront("area"));
        QApplication::processEvents();
        QCOMPARE(dock("area")->height(), height);
        // A tab that the user chose stays in front when the area changes.
        press(Qt::Key_6);
        TimeSpan part = session()->traces().span();
        part.end -= part.duration() / 2;
        session()->setArea(AreaSelection{part, {}});
        QApplication::processEvents();
        QVERIFY(inFront("operators"));
        QCOMPARE(dock("operators")->height(), height);
    }

private:
    QString sample() const { return path(QStringLiteral("sample.json")); }
    QDockWidget *dock(const char *id) const { return m_window->findChild<QDockWidget *>(QLatin1String(id)); }
    bool inFront(const char *id) const
    {
        QApplication::processEvents();
        return dock(id)->isVisible() && !dock(id)->visibleRegion().isEmpty();
    }
    void press(Qt::Key digit) { QTest::keyClick(m_window.get(), digit, Qt::ControlModifier); }
    QAction *entry(const QString &text) const
    {
        for (QAction *menu : m_window->menuBar()->actions())
            if (menu->text() == QLatin1String("&View"))
                for (QAction *action : menu->menu()->actions())
                    if (action->text() == text)
                        return action;
        return nullptr;
    }
};

RIFFLE_WIDGET_TEST(DocksTest)
#include "docks_test.moc"
