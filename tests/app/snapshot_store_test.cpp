// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Opens snapshots that have a store: the second time, they are read from it, unless the store is damaged or outdated.
#include "tests/app/window_case.h"

#include "model/analysis/memory/snapshot_facts.h"
#include "model/trace/store_folder.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/snapshot_difference.h"
#include "tests/support/snapshot_generator.h"
#include "views/common/look/notice_bar.h"
#include "views/common/memory/memory_session.h"

#include <QFile>
#include <QFileInfo>

using namespace riffle;

class SnapshotStoreTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-snapshot-store-test"));
        m_snapshot = path(QStringLiteral("large.pickle"));
    }
    void init()
    {
        QFile::remove(store());
        writeSnapshot(1);
        makeWindow();
    }
    void cleanup() { closeWindow(); }

    void theSecondTimeItComesFromTheStoreAndIsEqual()
    {
        open();
        QVERIFY(!opened().fromStore);
        const auto read = opened().facts;
        QVERIFY2(QFileInfo::exists(store()), qPrintable(store()));
        open();
        QVERIFY(opened().fromStore);
        const auto stored = opened().facts;
        QVERIFY(stored != read);
        QCOMPARE(test::snapshotDifference(read->snapshot(), stored->snapshot()), std::string());
        const DeviceReplay &a = read->replay().devices.at(0), &b = stored->replay().devices.at(0);
        QVERIFY(a.allocations.begin == b.allocations.begin && a.allocations.end == b.allocations.end &&
                a.allocations.freed == b.allocations.freed);
        QCOMPARE(a.peak.allocated, b.peak.allocated);
        QCOMPARE(a.peakAllocatedEvent, b.peakAllocatedEvent);
        QVERIFY2(!m_window->noticeText().contains(QStringLiteral("stored copy")), qPrintable(m_window->noticeText()));
    }
    void afterARestartToo()
    {
        open();
        makeWindow();
        open();
        QVERIFY(opened().fromStore);
    }
    void aSmallOneHasNoStore()
    {
        open(uint64_t(QFileInfo(m_snapshot).size()) * 2);
        QVERIFY(!QFileInfo::exists(store()));
        open(uint64_t(QFileInfo(m_snapshot).size()) * 2);
        QVERIFY(!opened().fromStore);
    }
    void aFileThatChangedIsReadAnew()
    {
        open();
        const auto before = opened().facts;
        writeSnapshot(2);
        open();
        QVERIFY(!opened().fromStore);
        QVERIFY(!test::snapshotDifference(before->snapshot(), opened().facts->snapshot()).empty());
        QVERIFY2(!m_window->noticeText().contains(QStringLiteral("stored copy")), qPrintable(m_window->noticeText()));
        open();
        QVERIFY(opened().fromStore); // the store of the new file
    }
    void aDamagedStoreIsDiscardedAndSaid_data()
    {
        QTest::addColumn<int>("percent"); // position of the damage; at 100, the end is cut off
        for (const int percent : {0, 3, 50, 99, 100})
            QTest::addRow("%d", percent) << percent;
    }
    void aDamagedStoreIsDiscardedAndSaid()
    {
        QFETCH(int, percent);
        open();
        const auto before = opened().facts;
        damageStore(percent);
        makeWindow();
        open();
        QVERIFY(!opened().fromStore);
        QCOMPARE(test::snapshotDifference(before->snapshot(), opened().facts->snapshot()), std::string());
        QVERIFY2(m_window->noticeText().contains(QStringLiteral("The stored copy of large.pickle could not be used")),
                 qPrintable(m_window->noticeText()));
        open();
        QVERIFY(opened().fromStore); // it was written again
        QVERIFY2(!m_window->noticeText().contains(QStringLiteral("stored copy")), qPrintable(m_window->noticeText()));
    }

private:
    QString store() const
    {
        return QString::fromStdString(StoreFolder(StoreFolder::defaultFolder()).storePath(m_snapshot.toStdString()));
    }
    const OpenedSnapshot &opened() { return m_window->controller()->snapshots().at(0); }
    void writeSnapshot(uint64_t seed)
    {
        test::SnapshotOptions options;
        options.entries = 20'000;
        options.seed = seed;
        QByteArray bytes;
        test::generateSnapshot(
            options, [&](std::string_view part) { bytes.append(part.data(), static_cast<qsizetype>(part.size())); });
        QFile file(m_snapshot);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    }
    void damageStore(int percent)
    {
        QFile file(store());
        QVERIFY(file.open(QIODevice::ReadWrite));
        if (percent == 100) {
            QVERIFY(file.resize(file.size() - 100));
            return;
        }
        const qint64 at = file.size() * percent / 100;
        QVERIFY(file.seek(at));
        const QByteArray was = file.read(1);
        QVERIFY(file.seek(at));
        QCOMPARE(file.write(QByteArray(1, static_cast<char>(was[0] ^ 0x55))), qint64(1));
    }
    void open(uint64_t from = 100'000)
    {
        m_window->controller()->setStoreSnapshotsFrom(from);
        OpenRequest request;
        request.files = {m_snapshot};
        m_window->open(request);
        QVERIFY(QTest::qWaitFor([this] { return !m_window->controller()->loading() && m_window->settled(); }));
        QCOMPARE(session()->memory()->snapshots().size(), size_t(1));
        QVERIFY(QTest::qWaitFor([this] { return m_window->controller()->idle(); })); // wait until the store is written
    }

    QString m_snapshot;
};

RIFFLE_WIDGET_TEST(SnapshotStoreTest)
#include "snapshot_store_test.moc"
