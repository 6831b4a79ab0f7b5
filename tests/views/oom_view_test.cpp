// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/analysis/memory/small_snapshot.h"
#include "tests/model/analysis/memory/small_stacks.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/empty_notice.h"
#include "views/memory/oom/oom_view.h"

#include "model/analysis/memory/snapshot_facts.h"

#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>

using namespace riffle;
using namespace riffle::test;

class OomViewTest : public QObject {
    Q_OBJECT

    std::unique_ptr<MemorySession> m_memory;
    std::unique_ptr<OomView> m_view;

    /// A snapshot of two devices; if `failed`, the second one ran out of memory at its event 1. If `unused`, it also
    /// has a segment of 20 MiB in a private pool without a block.
    static std::shared_ptr<const SnapshotFacts> snapshot(bool failed, bool unused)
    {
        SmallSnapshot small;
        small.add(MemoryAction::Alloc, 0, 9'000'000);
        small.nextDevice();
        small.add(MemoryAction::Alloc, 50'000'000, 1'048'576);
        if (failed)
            small.add(MemoryAction::OutOfMemory, 2'097'152, 8'388'608);
        small.add(MemoryAction::Snapshot, 0, 0);
        small.segment(0, 10'485'760, {SmallSnapshot::block(0, 9'000'000)});
        small.segment(1, 2'097'152, {SmallSnapshot::block(50'000'000, 1'048'576)});
        if (unused)
            small.segment(1, 20'971'520, {});
        MemorySnapshot made = small.take();
        made.segments[1].address = 50'000'000;
        if (unused) {
            made.segments[2].address = 80'000'000;
            made.segments[2].pool = 1;
            made.pools = {{0, 0}, {0, 1}};
        }
        SmallStacks stacks;
        const uint32_t line =
            stacks.add({{"linear", "torch/nn/functional.py", 5}, {"forward", "model.py", 61}, {"main", "train.py", 3}});
        std::vector<uint32_t> ofEvents(made.events.count(), 0);
        if (failed)
            ofEvents[2] = line;
        stacks.give(made, std::move(ofEvents));
        return std::make_shared<const SnapshotFacts>(std::make_shared<const MemorySnapshot>(std::move(made)));
    }
    void open(bool failed, bool unused = false)
    {
        m_memory = std::make_unique<MemorySession>();
        m_memory->setSnapshots({snapshot(failed, unused)});
        m_view = std::make_unique<OomView>(m_memory.get());
        m_view->resize(800, 600);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        QTRY_VERIFY(m_view->settled());
    }

private slots:
    void cleanup()
    {
        m_view.reset();
        m_memory.reset();
    }

    void otherRulesGuessAnew()
    {
        open(true);
        QVERIFY2(m_view->text().contains(QStringLiteral("Alive memory by category, as guessed by the built-in rules")),
                 qPrintable(m_view->text()));
        QVERIFY(!m_view->text().contains(QStringLiteral("caches of mine")));
        auto rules = MemoryRules::parse(R"({"rules": [{"name": "all", "category": "caches of mine"}]})", "mine.json");
        QVERIFY(rules);
        m_memory->setRules(std::make_shared<const MemoryRules>(std::move(*rules)),
                           QStringLiteral("/somewhere/mine.json"));
        QTRY_VERIFY2(m_view->settled() &&
                         m_view->text().contains(QStringLiteral("as guessed by the rules of mine.json")),
                     qPrintable(m_view->text()));
        QVERIFY2(m_view->text().contains(QStringLiteral("caches of mine")), qPrintable(m_view->text()));
        m_memory->useBuiltInRules();
        QTRY_VERIFY(m_view->settled() && !m_view->text().contains(QStringLiteral("caches of mine")) &&
                    m_view->text().contains(QStringLiteral("built-in rules")));
    }

    void thePageSaysWhyAndWhatThereWas()
    {
        open(true);
        const QString text = m_view->text();
        for (const char *expected :
             {"device 1 ran out of memory at event 1", "Failed at: forward model.py:61 < main train.py:3",
              "Demand: 8.00 MiB were requested", "1.00 MiB that were free between blocks", "5.00 MiB more were needed",
              "What would have helped", "Nothing in this snapshot could have been freed or used",
              "Alive memory by the stack that allocated it", "no stack recorded", "Peaks by stream and pool"})
            QVERIFY2(text.contains(QString::fromUtf8(expected)),
                     qPrintable(QString::fromUtf8(expected) + QStringLiteral("\n") + text));
    }

    void thePageSaysWhatWouldHaveHelped()
    {
        open(true, true);
        const QString text = m_view->text();
        for (const char *expected : {"What would have helped", "destroy or share a private pool", "20.0 MiB", "yes",
                                     "Nothing is in these segments of pool (0, 1)"})
            QVERIFY2(text.contains(QString::fromUtf8(expected)),
                     qPrintable(QString::fromUtf8(expected) + QStringLiteral("\n") + text));
    }

    void itsLinkGoesToTheInstant()
    {
        open(true);
        QVERIFY(m_memory->place().device == 0); // the highest peak
        QTextBrowser *page = m_view->page();
        const QTextCursor found = page->document()->find(QStringLiteral("Go to this instant"));
        QVERIFY(!found.isNull());
        QTextCursor middle = found;
        middle.setPosition((found.selectionStart() + found.selectionEnd()) / 2);
        QTest::mouseClick(page->viewport(), Qt::LeftButton, {}, page->cursorRect(middle).center());
        QCOMPARE(m_memory->place().device, size_t(1));
        QCOMPARE(m_memory->instant(), 2u);
        QTest::qWait(50);
        QVERIFY(m_view->text().contains(
            QStringLiteral("ran out of memory"))); // the page describes the snapshot, not the selected device
    }

    void withoutAFailureThePeaksAreThere()
    {
        open(false);
        QVERIFY(m_view->text().contains(QStringLiteral("No allocation failed")));
        QVERIFY(m_view->text().contains(QStringLiteral("device 0")));
        QVERIFY(m_view->text().contains(QStringLiteral("default stream")));
    }

    void withoutASnapshotItSaysSo()
    {
        open(true);
        m_memory->setSnapshots({});
        m_view->refreshNow();
        const auto *notice = m_view->findChild<EmptyNotice *>();
        QVERIFY(notice->isVisible());
        QCOMPARE(notice->text(), QStringLiteral("No memory snapshot is open."));
    }
};

RIFFLE_WIDGET_TEST(OomViewTest)
#include "oom_view_test.moc"
