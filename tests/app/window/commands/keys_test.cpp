// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/commands/command_list.h"
#include "app/window/commands/key_bindings.h"
#include "app/window/commands/key_guide.h"
#include "app/window/commands/key_recorder.h"
#include "app/window/commands/keys_dialog.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/source_path.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTreeWidget>

using namespace riffle;

class KeysTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase() { prepare(QStringLiteral("riffle-keys-test")); }
    void init()
    {
        QFile::remove(path(QStringLiteral("settings.ini")));
        makeWindow();
        openDialog();
    }
    void cleanup()
    {
        m_dialog.reset();
        closeWindow();
    }

    void noTwoActionsShareAKey()
    {
        QList<QKeySequence> seen;
        for (const QAction *action : bindings()->actions())
            for (const QKeySequence &key : action->shortcuts()) {
                QVERIFY2(!seen.contains(key), qPrintable(key.toString()));
                seen += key;
            }
        QVERIFY(seen.size() > 25);
    }

    void aNewKeyIsRecordedKeptAndShown()
    {
        QAction *fold = choose(QStringLiteral("Fold all lanes"));
        QTest::keyClick(recorder(), Qt::Key_K, Qt::ControlModifier);
        QCOMPARE(recorder()->text(), QStringLiteral("Ctrl+K"));
        click("Set");
        QCOMPARE(fold->shortcuts(), QList<QKeySequence>{QKeySequence("Ctrl+K")});
        QCOMPARE(row(fold)->text(1), QStringLiteral("Ctrl+K"));
        QVERIFY(row(fold)->font(1).italic());
        m_dialog.reset();
        makeWindow(); // the settings keep it
        openDialog();
        fold = choose(QStringLiteral("Fold all lanes"));
        QCOMPARE(fold->shortcuts(), QList<QKeySequence>{QKeySequence("Ctrl+K")});
        click("Reset");
        QCOMPARE(fold->shortcuts(), QList<QKeySequence>{QKeySequence("Ctrl+Shift+Up")});
        QVERIFY(!m_settings->keys(fold->objectName()));
    }

    void aFurtherKeyAndNoKey()
    {
        QAction *open = choose(QStringLiteral("Tour"));
        QVERIFY(!button("Add")->isEnabled());
        QTest::keyClick(recorder(), Qt::Key_F7);
        click("Set");
        QTest::keyClick(recorder(), Qt::Key_F8);
        click("Add");
        QCOMPARE(shownKeys(*open), QStringLiteral("F7, F8"));
        click("No key");
        QVERIFY(open->shortcuts().isEmpty());
        QVERIFY(!bindings()->isChanged(open));
        QAction *find = choose(QStringLiteral("Find next"));
        click("No key");
        m_dialog.reset();
        makeWindow();
        openDialog();
        find = choose(QStringLiteral("Find next"));
        QVERIFY(find->shortcuts().isEmpty()); // no key is kept, too
    }

    void aButtonDoesNotShowSeveralKeys()
    {
        const QAction *overview = choose(QStringLiteral("Overview"));
        QTest::keyClick(recorder(), Qt::Key_F7);
        click("Add");
        QVERIFY(overview->text().endsWith(QLatin1String("\tCtrl+3, F7")));
        QCOMPARE(overview->iconText(), QStringLiteral("Overview"));
    }

    void aConflictIsNamedAndResolvedExplicitly()
    {
        const QAction *side = choose(QStringLiteral("Side panel"));
        QAction *fold = choose(QStringLiteral("Fold all lanes"));
        QTest::keyClick(recorder(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY2(conflict().contains(QLatin1String("Side panel")), qPrintable(conflict()));
        QVERIFY(!button("Set")->isEnabled());
        QVERIFY(!button("Add")->isEnabled());
        QCOMPARE(side->shortcuts().size(), 1);
        click("Take it from “Side panel”");
        QVERIFY(side->shortcuts().isEmpty());
        QVERIFY(conflict().isEmpty());
        click("Add");
        QCOMPARE(fold->shortcuts().size(), 2);
        choose(QStringLiteral("Side panel"));
        click("Reset"); // its key belongs to another command now
        QVERIFY2(conflict().contains(QLatin1String("Fold all lanes")), qPrintable(conflict()));
        QVERIFY(side->shortcuts().isEmpty());
        click("Reset all");
        QCOMPARE(side->shortcuts().size(), 1);
        QCOMPARE(fold->shortcuts().size(), 1);
    }

    void theKeyOfAViewIsNamed()
    {
        choose(QStringLiteral("Tour"));
        QTest::keyClick(recorder(), Qt::Key_W);
        QVERIFY2(conflict().contains(QLatin1String("Zoom in")), qPrintable(conflict()));
        QVERIFY(button("Set")->isEnabled());
    }

    void aBoundKeyWorksAndToolTipsShowIt()
    {
        QAction *fill = choose(QStringLiteral("Fill the window with the table"));
        QVERIFY2(fill->toolTip().endsWith(QLatin1String("(Ctrl+Shift+J)")), qPrintable(fill->toolTip()));
        QTest::keyClick(recorder(), Qt::Key_F9);
        click("Set");
        QVERIFY2(fill->toolTip().endsWith(QLatin1String("(F9)")), qPrintable(fill->toolTip()));
        m_dialog.reset();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QSignalSpy triggered(fill, &QAction::triggered);
        QTest::keyClick(m_window.get(), Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(triggered.size(), 0);
        QTest::keyClick(m_window.get(), Qt::Key_F9);
        QCOMPARE(triggered.size(), 1);
    }

    void aKeyThatTheUserGaveAwayIsNoDefaultOfAnother()
    {
        m_dialog.reset();
        m_settings->setKeys(QStringLiteral("page.overview"), QStringList{QStringLiteral("Ctrl+J")});
        makeWindow();
        QCOMPARE(bindings()->holder(QKeySequence("Ctrl+J"))->objectName(), QStringLiteral("page.overview"));
        openDialog();
        QVERIFY(choose(QStringLiteral("Fold or open the tables"))->shortcuts().isEmpty());
    }

    void theListIsSearchedByWordsAndKeys()
    {
        QVERIFY(visibleRows().size() > 100);
        QTest::keyClicks(m_dialog->findChild<QLineEdit *>(), QStringLiteral("minimap frame"));
        QCOMPARE(visibleRows(), QStringList{"Move or resize the visible range"});
        m_dialog->findChild<QLineEdit *>()->clear();
        QTest::keyClicks(m_dialog->findChild<QLineEdit *>(), QStringLiteral("ctrl+shift+p"));
        QCOMPARE(visibleRows(), QStringList{"Command palette"});
    }

    void everyViewHasItsGestures()
    {
        QStringList views;
        for (const Gesture &gesture : gestures())
            if (const QString view = guideText(gesture.view); !views.contains(view))
                views += view;
        for (const char *view :
             {"Timeline", "Minimap", "Tables", "Charts", "Memory", "Allocator", "Memory logs", "SQL"})
            QVERIFY2(views.contains(QString::fromLatin1(view)), view);
    }

    /// With RIFFLE_WRITE_DOCS set, the test writes the file instead.
    void docsListTheSameKeys()
    {
        const QString path = QString::fromStdString(test::sourcePath("docs/keys.md"));
        const QByteArray listed = keysAsMarkdown().toUtf8();
        QFile file(path);
        if (qEnvironmentVariableIsSet("RIFFLE_WRITE_DOCS")) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            QCOMPARE(file.write(listed), listed.size());
            file.close();
        }
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()), QString::fromUtf8(listed));
    }

    /// README has the most important ones, in its own words.
    void everyKeyInReadmeIsOne()
    {
        QFile file(QString::fromStdString(test::sourcePath("README.md")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString section = QString::fromUtf8(file.readAll()).section(QStringLiteral("\n## "), 3, 3);
        QVERIFY2(section.startsWith(QLatin1String("Keys")), qPrintable(section.left(20)));
        QStringList known;
        for (const Gesture &gesture : gestures())
            known += QString::fromLatin1(gesture.input).toLower().split(QLatin1String("  "));
        for (const Command &command : commandsOf(*m_window->menuBar()))
            known += command.keys.toLower().split(QLatin1String(", "));
        static const QRegularExpression row(QStringLiteral("^\\| (`[^|]+) \\|"), QRegularExpression::MultilineOption);
        static const QRegularExpression quoted(QStringLiteral("`([^`]+)`"));
        int keys = 0;
        for (auto rows = row.globalMatch(section); rows.hasNext();)
            for (auto found = quoted.globalMatch(rows.next().captured(1)); found.hasNext(); ++keys) {
                const QString key = found.next().captured(1).toLower();
                QVERIFY2(known.contains(key), qPrintable(key));
            }
        QVERIFY(keys > 30);
    }

private:
    QString keysAsMarkdown() const
    {
        QString text =
            QStringLiteral("# Keys and mouse gestures\n\nThe window lists them, too (`?`), and changes those of "
                           "the menus. A test compares this file with it.\n");
        const auto head = [&text](const QString &title) {
            text += QStringLiteral("\n## %1\n\n| what it does | keys, mouse |\n|---|---|\n").arg(title);
        };
        const auto add = [&text](const QString &what, const QString &keys) {
            text += QStringLiteral("| %1 | %2 |\n").arg(what, keys);
        };
        QString title;
        for (const Command &command : commandsOf(*m_window->menuBar())) {
            if (command.keys.isEmpty())
                continue;
            if (const QString menu = command.place.section(QStringLiteral(" ▸ "), 0, 0); menu != title)
                head(QStringLiteral("Menu ") + (title = menu));
            add((command.place + QStringLiteral(" ▸ ") + command.title).section(QStringLiteral(" ▸ "), 1),
                command.keys);
        }
        const char *view = nullptr;
        for (const Gesture &gesture : gestures()) {
            if (gesture.view != view)
                head(guideText(view = gesture.view));
            add(guideText(gesture.what),
                QString::fromLatin1(gesture.input).replace(QLatin1String("  "), QLatin1String(", ")));
        }
        return text;
    }
    KeyBindings *bindings() const { return m_window->keyBindings(); }
    void openDialog()
    {
        m_dialog = std::make_unique<KeysDialog>(bindings(), *m_window->menuBar(), m_window.get());
        m_dialog->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_dialog.get()));
    }
    KeyRecorder *recorder() const { return m_dialog->findChild<KeyRecorder *>(); }
    QString conflict() const { return m_dialog->findChild<QLabel *>()->text(); }
    QPushButton *button(const char *text) const
    {
        for (auto *one : m_dialog->findChildren<QPushButton *>())
            if (one->text().remove(QLatin1Char('&')) == QString::fromUtf8(text))
                return one;
        qFatal("there is no button %s", text);
    }
    void click(const char *text)
    {
        QVERIFY2(button(text)->isEnabled() && button(text)->isVisible(), text);
        QTest::mouseClick(button(text), Qt::LeftButton);
    }
    QTreeWidgetItem *row(const QAction *action) const
    {
        const QList<QTreeWidgetItem *> found =
            m_dialog->findChild<QTreeWidget *>()->findItems(plainTitle(*action), Qt::MatchExactly | Qt::MatchRecursive);
        return found.value(0);
    }
    /// Makes the row of an action the current one.
    QAction *choose(const QString &title)
    {
        for (QAction *action : bindings()->actions())
            if (plainTitle(*action) == title) {
                m_dialog->findChild<QTreeWidget *>()->setCurrentItem(row(action));
                return action;
            }
        qFatal("there is no action %s", qPrintable(title));
    }
    QStringList visibleRows() const
    {
        QStringList rows;
        for (QTreeWidgetItemIterator at(m_dialog->findChild<QTreeWidget *>(), QTreeWidgetItemIterator::NotHidden); *at;
             ++at)
            if ((*at)->parent() && !(*at)->parent()->isHidden())
                rows += (*at)->text(0);
        return rows;
    }

    std::unique_ptr<KeysDialog> m_dialog;
};

RIFFLE_WIDGET_TEST(KeysTest)
#include "keys_test.moc"
