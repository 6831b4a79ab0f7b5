// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The user's own rules for categories of memory: chosen in the menu, and read again when their file changes.
#include "tests/app/window_case.h"

#include "app/memory_rules_control.h"
#include "model/analysis/memory/categories/memory_rules.h"
#include "model/analysis/memory/snapshot_facts.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/snapshot_generator.h"
#include "views/common/look/notice_bar.h"
#include "views/common/table/summary_table.h"
#include "views/memory/alive/alive_view.h"
#include "views/memory/alive/difference_view.h"
#include "views/memory/landscape/landscape_canvas.h"
#include "views/memory/landscape/landscape_view.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QSet>
#include <QTimer>

using namespace riffle;

class MemoryRulesTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-memory-rules-test"));
        m_snapshot = path(QStringLiteral("snapshot.pickle"));
        test::SnapshotOptions options;
        options.entries = 5'000;
        QByteArray bytes;
        test::generateSnapshot(
            options, [&](std::string_view part) { bytes.append(part.data(), static_cast<qsizetype>(part.size())); });
        write(m_snapshot, bytes);
    }
    void init()
    {
        QFile::remove(path(QStringLiteral("settings.ini")));
        QFile::remove(mine());
        write(mine(), rules("first"));
        makeWindow();
        openFiles({m_snapshot});
        alive()->setGrouping(MemoryGrouping::Category);
        difference()->groupings()->setCurrentIndex(
            difference()->groupings()->findData(static_cast<int>(MemoryGrouping::Category)));
        m_window->session()->memory()->setColour(MemorySession::Colour::Category);
    }
    void cleanup() { closeWindow(); }

    void theMenuChoosesAFileAndEveryViewFollows()
    {
        show("memory-alive");
        QTRY_VERIFY(m_window->settled());
        QVERIFY(!categories(alive()->table()).contains(QStringLiteral("first")));
        QTRY_VERIFY2(alive()->said().contains(QStringLiteral("Guessed by the built-in rules")),
                     qPrintable(alive()->said()));
        choose("&Choose a file…", mine());
        QTRY_COMPARE(categories(alive()->table()), QSet<QString>{QStringLiteral("first")});
        QTRY_VERIFY2(alive()->said().contains(QStringLiteral("Guessed by the rules of mine.json")),
                     qPrintable(alive()->said()));
        QTRY_VERIFY2(legend().contains(QStringLiteral("guessed by the rules of mine.json")) &&
                         legend().contains(QStringLiteral("first")),
                     qPrintable(legend()));
        show("memory-difference");
        QTRY_COMPARE(categories(difference()->table()), QSet<QString>{QStringLiteral("first")});
        QTRY_VERIFY2(difference()->said().contains(QStringLiteral("mine.json")), qPrintable(difference()->said()));
    }
    void theFileIsReadAgainWhenItIsWritten()
    {
        use();
        write(mine(), rules("second"));
        QTRY_COMPARE(categories(alive()->table()), QSet<QString>{QStringLiteral("second")});
    }
    /// Replaces the file by another one twice, as editors do.
    void theFileIsReadAgainWhenItIsReplaced()
    {
        use();
        for (const char *name : {"third", "fourth"}) {
            write(path(QStringLiteral("new.json")), rules(name));
            QFile::remove(mine());
            QVERIFY(QFile::rename(path(QStringLiteral("new.json")), mine()));
            QTRY_COMPARE(categories(alive()->table()), QSet<QString>{QString::fromLatin1(name)});
        }
        QVERIFY2(!m_window->noticeText().contains(QStringLiteral("mine.json")), qPrintable(m_window->noticeText()));
    }
    void whatIsWrongIsSaidWithItsLineAndTheRulesStay()
    {
        use();
        const auto before = m_window->session()->memory()->rules();
        write(mine(), "{\"sets\": {},\n \"rules\": [\n  {\"name\": \"a\",\n   \"category\": \"b\", \"freed_in\": "
                      "[\"nowhere\"]}\n]}\n");
        QTRY_VERIFY2(m_window->noticeText().contains(
                         QStringLiteral("mine.json, line 4: The set 'nowhere' is not defined above.")),
                     qPrintable(m_window->noticeText()));
        QVERIFY(m_window->noticeText().contains(QStringLiteral("previous rules stay")));
        QCOMPARE(m_window->session()->memory()->rules(), before);
        QCOMPARE(categories(alive()->table()), QSet<QString>{QStringLiteral("first")});
        write(mine(), rules("mended"));
        QTRY_COMPARE(categories(alive()->table()), QSet<QString>{QStringLiteral("mended")});
        QVERIFY2(!m_window->noticeText().contains(QStringLiteral("mine.json")), qPrintable(m_window->noticeText()));
    }
    void linesOfMistakes_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("said");
        const auto row = [](const char *name, const char *text, const char *said) {
            QTest::newRow(name) << QByteArray(text) << QString::fromLatin1(said);
        };
        row("no JSON", "\n\nthis is none", "line 3: ");
        row("unknown key", "{\n\"sets\": {},\n\"ruels\": []\n}", "line 3: 'ruels' is not a key");
        row("unknown condition",
            "{\"rules\": [\n{\"name\": \"a\", \"category\": \"b\"},\n{\"name\": \"a\",\n\"freed_on\": "
            "true,\n\"category\": \"b\"}]}",
            "line 4: 'freed_on' is not a condition of a rule");
        row("no boolean", "{\"rules\": [\n{\"name\": \"a\", \"category\": \"b\",\n\"freed\": 1\n}]}", "line 3: ");
        row("no number", "{\"rules\": [\n{\"name\": \"a\", \"category\": \"b\",\n\"at_most_bytes\": \"many\"\n}]}",
            "line 3: ");
        row("no pattern", "{\"sets\": {\"a\": [\"x\",\n \" @ y\",\n\"z\"]}, \"rules\": []}",
            "line 2: ' @ y' is not a pattern");
        row("no name", "{\"rules\": [\n{\"category\": \"b\"},\n{\"name\": \"a\", \"category\": \"b\"}\n]}",
            "line 2: A rule needs a name and a category");
        row("cut off", "{\"rules\": [\n{\"name\": \"a\",\n", "line ");
        row("empty", "", "line 1: ");
    }
    void linesOfMistakes()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, said);
        write(mine(), text);
        choose("&Choose a file…", mine());
        QTRY_VERIFY2(m_window->noticeText().contains(said), qPrintable(m_window->noticeText()));
        QVERIFY(m_window->noticeText().contains(QStringLiteral("The built-in rules stay in use.")));
        QVERIFY(m_window->session()->memory()->rulesFile().isEmpty());
        QVERIFY(m_settings->memoryRulesFile().isEmpty());
    }
    void aFileThatIsGoneIsSaidAndFoundAgain()
    {
        use();
        QVERIFY(QFile::remove(mine()));
        QTRY_VERIFY2(m_window->noticeText().contains(QStringLiteral("there is no such file")),
                     qPrintable(m_window->noticeText()));
        QCOMPARE(categories(alive()->table()), QSet<QString>{QStringLiteral("first")});
        write(mine(), rules("again"));
        QTRY_COMPARE(categories(alive()->table()), QSet<QString>{QStringLiteral("again")});
        QVERIFY2(!m_window->noticeText().contains(QStringLiteral("mine.json")), qPrintable(m_window->noticeText()));
    }
    void theBuiltInRulesAreWrittenToStartFrom()
    {
        const QString out = path(QStringLiteral("written.json"));
        QFile::remove(out);
        show("memory-alive");
        choose("&Write the built-in rules to a file as a starting point…", out);
        QTRY_COMPARE(m_window->session()->memory()->rulesFile(), out);
        QFile file(out);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().toStdString(), std::string(MemoryRules::builtInText()));
        write(out, rules("changed"));
        QTRY_COMPARE(categories(alive()->table()), QSet<QString>{QStringLiteral("changed")});
    }
    void theyAreRememberedUntilTheBuiltInOnesAreWantedBack()
    {
        use();
        makeWindow();
        openFiles({m_snapshot});
        QTRY_COMPARE(m_window->session()->memory()->rulesFile(), mine());
        clickInMenu("&Use the built-in rules again");
        QVERIFY(m_window->session()->memory()->rulesFile().isEmpty());
        write(mine(), rules("unheard"));
        makeWindow();
        QTest::qWait(200);
        QVERIFY(m_window->session()->memory()->rulesFile().isEmpty());
    }
    void aSessionNamesThem()
    {
        use();
        const QString saved = path(QStringLiteral("with_rules.riffle"));
        QVERIFY(m_window->sessionNow().write(saved));
        clickInMenu("&Use the built-in rules again");
        makeWindow();
        openFiles({saved});
        QTRY_COMPARE(m_window->session()->memory()->rulesFile(), mine());
        QVERIFY(m_settings->memoryRulesFile().isEmpty()); // the rules belong to this session only
        QVERIFY(QFile::remove(mine()));
        makeWindow();
        openFiles({saved});
        QTRY_VERIFY2(m_window->noticeText().contains(QStringLiteral("mine.json")), qPrintable(m_window->noticeText()));
        QVERIFY(!m_window->session()->memory()->empty());
    }

private:
    static void write(const QString &name, const QByteArray &bytes)
    {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    }
    /// A file with one rule that matches every allocation.
    static QByteArray rules(const char *category)
    {
        return QByteArray("{\"rules\": [{\"name\": \"all\", \"category\": \"") + category + "\"}]}";
    }
    static QSet<QString> categories(const SummaryTable *table)
    {
        QSet<QString> names;
        if (const ResultColumn *column = table->table().column("category"))
            for (const std::string &name : column->texts)
                names += QString::fromStdString(name);
        names.remove(QStringLiteral("all")); // the row that contains all others
        return names;
    }
    QString mine() const { return path(QStringLiteral("mine.json")); }
    AliveView *alive() { return qobject_cast<AliveView *>(m_window->view(QStringLiteral("memory-alive"))); }
    DifferenceView *difference()
    {
        return qobject_cast<DifferenceView *>(m_window->view(QStringLiteral("memory-difference")));
    }
    QString legend() const
    {
        for (const QLabel *label : m_window->memoryPage()->findChildren<QLabel *>())
            if (label->text().contains(QStringLiteral("guessed by")))
                return label->text();
        return {};
    }
    void show(const char *table) { m_window->bringForward(QString::fromLatin1(table)); }
    void use()
    {
        show("memory-alive");
        choose("&Choose a file…", mine());
        QTRY_COMPARE(categories(alive()->table()), QSet<QString>{QStringLiteral("first")});
    }
    void openFiles(const QStringList &files)
    {
        OpenRequest request;
        request.files = files;
        m_window->open(request);
        QVERIFY(QTest::qWaitFor([this] { return !m_window->controller()->loading() && m_window->settled(); }));
    }
    /// Chooses an entry as a user does: with clicks on the menu bar, on the submenu and on the entry.
    void clickInMenu(const char *entry)
    {
        QMenuBar *bar = m_window->menuBar();
        for (QAction *title : bar->actions()) {
            if (title->text() != QLatin1String("&Memory"))
                continue;
            QTest::mouseClick(bar, Qt::LeftButton, {}, bar->actionGeometry(title).center());
            QTRY_VERIFY(title->menu()->isVisible());
            QAction *rules = title->menu()->actions().front();
            QTest::mouseClick(title->menu(), Qt::LeftButton, {}, title->menu()->actionGeometry(rules).center());
            QTRY_VERIFY(rules->menu()->isVisible());
            for (QAction *action : rules->menu()->actions())
                if (action->text() == QString::fromUtf8(entry)) {
                    QTest::mouseClick(rules->menu(), Qt::LeftButton, {},
                                      rules->menu()->actionGeometry(action).center());
                    return;
                }
        }
        QFAIL(entry);
    }
    /// Chooses an entry that opens a file dialog, and enters the file's name there.
    void choose(const char *entry, const QString &file)
    {
        bool typed = false;
        QTimer typing;
        typing.setInterval(20);
        connect(&typing, &QTimer::timeout, this, [&] {
            auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            auto *name = dialog ? dialog->findChild<QLineEdit *>() : nullptr;
            if (!name || typed)
                return;
            typed = true;
            name->setText(file); // typing would open a list of completions, which would take the Return key
            QTest::keyClick(name, Qt::Key_Return);
        });
        typing.start();
        clickInMenu(entry);
        QTRY_VERIFY(typed && !QApplication::activeModalWidget());
    }

    QString m_snapshot;
};

RIFFLE_WIDGET_TEST(MemoryRulesTest)
#include "memory_rules_test.moc"
