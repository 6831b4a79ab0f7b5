// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/commands/command_palette.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/choice_list.h"

#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>

#include <algorithm>

using namespace riffle;

class PaletteTest : public SampleCase {
    Q_OBJECT

private slots:
    void initTestCase() { prepareSample(QStringLiteral("riffle-palette-test")); }
    void init() { openSampleAfresh(); }
    void cleanup() { closeWindow(); }

    void everyActionOfTheMenusIsInIt()
    {
        press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QStringList titles;
        for (const QAction *menu : m_window->menuBar()->actions())
            addTitles(*menu->menu(), titles);
        QVERIFY(titles.size() > 40);
        for (const QString &title : titles)
            QVERIFY2(shown().contains(title), qPrintable(title));
        for (const char *setting : {"Memory limit", "Cache limit", "Editor", "Path mapping"})
            QVERIFY2(shown().contains(QString::fromLatin1(setting)), setting);
    }

    void wordsInAnyOrderFindATableAndEnterShowsIt()
    {
        press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(palette()->isVisible());
        QTest::keyClicks(field(), QStringLiteral("path crit"));
        QVERIFY(shown().first().startsWith(QLatin1String("Critical path")));
        field()->clear();
        QTest::keyClicks(field(), QStringLiteral("kern"));
        QCOMPARE(shown().first(), QStringLiteral("Kernels"));
        QTest::keyClick(field(), Qt::Key_Return);
        QVERIFY(!palette()->isVisible());
        QVERIFY(m_window->isInFront(QStringLiteral("kernels")));
    }

    void lettersAloneFindToo()
    {
        press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClicks(field(), QStringLiteral("unflanes"));
        QCOMPARE(shown(), QStringList{"Unfold all lanes"});
        QCOMPARE(list()->choices().first().details, (QStringList{"View", "Ctrl+Shift+Down"}));
    }

    void escapeGivesTheFocusBack()
    {
        m_window->timeline()->setFocus();
        QWidget *before = QApplication::focusWidget();
        press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(field()->hasFocus());
        QTest::keyClick(field(), Qt::Key_Escape);
        QVERIFY(!palette()->isVisible());
        QCOMPARE(QApplication::focusWidget(), before);
    }

    void whatWasRunLastComesFirst()
    {
        press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClicks(field(), QStringLiteral("theme dark"));
        QTest::keyClick(field(), Qt::Key_Return);
        QVERIFY(m_settings->theme() == ThemeKind::Dark);
        press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(shown().first(), QStringLiteral("✓ Dark"));
        QTest::keyClick(field(), Qt::Key_Down);
        QCOMPARE(list()->current(), 1);
        QTest::keyClick(field(), Qt::Key_Escape);
        m_settings->setTheme(std::nullopt);
    }

    void aSwitchOfThePreferencesIsSwitched()
    {
        const bool before = m_settings->chartPatterns();
        press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClicks(field(), QStringLiteral("patterns charts"));
        QTest::keyClick(field(), Qt::Key_Return);
        QCOMPARE(m_settings->chartPatterns(), !before);
    }

    void aClickRunsARow()
    {
        press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClicks(field(), QStringLiteral("findings"));
        const QRect row = list()->visualRect(list()->model()->index(0, 0));
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, row.center());
        QVERIFY(m_window->isInFront(QStringLiteral("findings")));
    }

    void whatIsNotPossibleCannotBeRun()
    {
        press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClicks(field(), QStringLiteral("allocator"));
        QCOMPARE(shown().first(), QStringLiteral("Allocator"));
        QVERIFY(!list()->choices().first().isPossible);
        QTest::keyClick(field(), Qt::Key_Return);
        QVERIFY(palette()->isVisible());
    }

private:
    CommandPalette *palette() const { return m_window->findChild<CommandPalette *>(); }
    QLineEdit *field() const { return palette()->findChild<QLineEdit *>(); }
    ChoiceList *list() const { return palette()->findChild<ChoiceList *>(); }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers)
    {
        QTest::keyClick(m_window->focusWidget() ? m_window->focusWidget() : m_window.get(), key, modifiers);
    }
    QStringList shown() const
    {
        QStringList titles;
        for (const Choice &choice : list()->choices())
            titles += choice.title;
        return titles;
    }
    /// The titles of all actions that a menu shows, read apart from the palette's own code.
    static void addTitles(const QMenu &menu, QStringList &titles)
    {
        for (const QAction *action : menu.actions()) {
            if (action->menu()) {
                addTitles(*action->menu(), titles);
            } else if (!action->isSeparator() && !action->text().isEmpty()) {
                const QString title = action->text()
                                          .section(QLatin1Char('\t'), 0, 0)
                                          .remove(QLatin1Char('&'))
                                          .remove(QStringLiteral("…"));
                titles += action->isChecked() ? QStringLiteral("✓ ") + title : title;
            }
        }
    }
};

RIFFLE_WIDGET_TEST(PaletteTest)
#include "palette_test.moc"
