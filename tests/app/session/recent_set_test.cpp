// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// A set of files is one entry among the recent files.
#include "app/session/recent_set.h"

#include "app/session/settings.h"
#include "tests/support/qt/widget_tests.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace riffle;

class RecentSetTest : public QObject {
    Q_OBJECT

private slots:
    void theTitleNamesTheSet()
    {
        RecentSet set = made({QStringLiteral("/data/run42/a/rank0.json"), QStringLiteral("/data/run42/b/rank1.json")});
        set.ranks = 2;
        QCOMPARE(set.title(), QStringLiteral("2 ranks of run42"));
        set.others = 1;
        QCOMPARE(set.title(), QStringLiteral("3 files of run42"));
        QCOMPARE(set.detail(), QStringLiteral("2025-11-03 · 14.2\u00A0GiB"));
        RecentSet one = made({QStringLiteral("/data/run42.zip")});
        one.ranks = 8;
        QCOMPARE(one.title(), QStringLiteral("run42.zip, 8 files"));
        one.ranks = 1;
        QCOMPARE(one.title(), QStringLiteral("run42.zip"));
        QCOMPARE(made({QStringLiteral("/a.json"), QStringLiteral("/b/c.json")}).title(),
                 QStringLiteral("2 files of /"));
        QCOMPARE(RecentSet().detail(), QString());
    }

    void theSameFilesAreOneEntryWhateverTheirOrder()
    {
        QTemporaryDir folder;
        Settings settings(folder.filePath(QStringLiteral("settings.ini")));
        const QString a = QStringLiteral("/a.json"), b = QStringLiteral("/b.json");
        settings.addRecentSet(made({a, b}));
        settings.addRecentSet(made({a}));
        settings.addRecentSet(made({b, a}));
        QCOMPARE(settings.recentSets().size(), size_t(2));
        QCOMPARE(settings.recentSets().front().files, (QStringList{b, a}));
        QCOMPARE(settings.recentSets().front().toJson(), made({b, a}).toJson());
        for (int at = 0; at < 20; ++at)
            settings.addRecentSet(made({QStringLiteral("/%1.json").arg(at)}));
        QCOMPARE(settings.recentSets().size(), size_t(12));
        settings.clearRecentSets();
        QVERIFY(settings.recentSets().empty());
    }

    void filesThatAreGoneAreNamed()
    {
        QTemporaryDir folder;
        const QString there = folder.filePath(QStringLiteral("run.zip"));
        QFile file(there);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const RecentSet set =
            made({there, there + QStringLiteral("/rank0.json"), folder.filePath(QStringLiteral("gone.json"))});
        QCOMPARE(set.missing(), QStringList{QStringLiteral("gone.json")});
    }

    void damagedEntriesAreLeftOut()
    {
        QVERIFY(!RecentSet::fromJson({}));
        QVERIFY(!RecentSet::fromJson({{QStringLiteral("files"), 7}}));
    }

private:
    static RecentSet made(const QStringList &files)
    {
        RecentSet set;
        set.files = files;
        set.date = QDate(2025, 11, 3);
        set.bytes = qint64(14.2 * 1024 * 1024 * 1024);
        return set;
    }
};

RIFFLE_WIDGET_TEST(RecentSetTest)
#include "recent_set_test.moc"
