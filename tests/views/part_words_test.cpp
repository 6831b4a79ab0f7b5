// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/compare/part_words.h"

#include "tests/support/qt/widget_tests.h"

#include <QTest>

using namespace riffle;

class PartWordsTest : public QObject {
    Q_OBJECT

private slots:
    void everyPartIsReadAsItIsWritten_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<bool>("hasSteps");
        QTest::addColumn<QString>("words"); // empty if it is wrong
        const auto row = [](const char *typed, bool hasSteps, const char *words) {
            QTest::addRow("%s, %s", typed, hasSteps ? "steps" : "no steps")
                << QString::fromUtf8(typed) << hasSteps << QString::fromUtf8(words);
        };
        row("Median step", true, "Median step");
        row("median STEP", false, "All of it");
        row("All of it", false, "All of it");
        row("all", true, "All steps");
        row("All steps", true, "All steps");
        row("551", true, "Step 551");
        row(" step 0 ", true, "Step 0");
        row("551:553", true, "Steps 551 to 553");
        row("551-553", true, "Steps 551 to 553");
        row("Steps 551 to 553", true, "Steps 551 to 553");
        row("553:551", true, "");
        row("10ms:20ms", true, "10ms:20ms");
        row("1.5ms:", true, "1.5ms:");
        row(":2s", true, "0ns:2s");
        row("20ms:10ms", true, "");
        row("10us:20us", false, "10us:20us");
        row("551", false, "");
        row("", true, "");
        row("last", true, "");
        row("12345678901234567890", true, "");
    }
    void everyPartIsReadAsItIsWritten()
    {
        QFETCH(QString, typed);
        QFETCH(bool, hasSteps);
        QFETCH(QString, words);
        SideRequest before;
        before.stepMark = "train_step";
        before.range = TimeSpan{1, 2};
        const auto read = partFromWords(typed, before, hasSteps);
        QCOMPARE(static_cast<bool>(read), !words.isEmpty());
        if (!read)
            return;
        QCOMPARE(partWords(*read, hasSteps), words);
        QCOMPARE(read->stepMark, before.stepMark);
        const auto again = partFromWords(words, before, hasSteps);
        QVERIFY(again);
        QVERIFY(*again == *read);
    }
};

RIFFLE_WIDGET_TEST(PartWordsTest)
#include "part_words_test.moc"
