// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Held keys in a landscape, and colours that are computed while it is shown.
#include "model/analysis/memory/alive/group_keys.h"
#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/support/chunked_source.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/snapshot_generator.h"
#include "views/memory/landscape/landscape_canvas.h"
#include "views/memory/landscape/landscape_state.h"
#include "views/memory/landscape/landscape_view.h"

#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QTest>

#include <map>
#include <set>

using namespace riffle;

class LandscapeKeysTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        test::SnapshotOptions options;
        options.entries = 6'000;
        std::string bytes;
        test::generateSnapshot(options, [&](std::string_view part) { bytes += part; });
        test::ChunkedSource source(bytes);
        const auto snapshot = readMemoryPickle(source, "generated.pickle", {});
        QVERIFY(snapshot);
        m_facts = std::make_shared<const SnapshotFacts>(*snapshot);
    }
    void init()
    {
        m_memory = std::make_unique<MemorySession>();
        m_view = std::make_unique<LandscapeView>(m_memory.get());
        m_view->resize(1100, 600);
        m_view->show();
        m_memory->setSnapshots({m_facts});
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        QTRY_VERIFY(state().data() && m_view->settled());
        m_view->canvas()->setFocus();
    }
    void cleanup()
    {
        m_view.reset();
        m_memory.reset();
    }

    void aHeldKeyGoesOnUntilItIsReleased()
    {
        const Ns whole = length();
        QTest::keyPress(m_view->canvas(), Qt::Key_W);
        const Ns first = length();
        QVERIFY(first < whole);            // the first step is immediate
        QTRY_VERIFY(length() < first / 2); // without another key event
        QTest::keyRelease(m_view->canvas(), Qt::Key_W);
        const Ns released = length();
        QTest::qWait(60);
        QCOMPARE(length(), released);
        QTest::keyPress(m_view->canvas(), Qt::Key_D);
        const Ns begin = state().range().begin;
        QTRY_VERIFY(state().range().begin > begin + released / 4 || state().range().end >= state().axis().whole().end);
        QTest::keyRelease(m_view->canvas(), Qt::Key_D);
        QCOMPARE(length(), released);
    }

    void repeatsOfTheKeyboardMoveNothing()
    {
        QTest::keyPress(m_view->canvas(), Qt::Key_W);
        const TimeSpan before = state().range();
        for (int repeat = 0; repeat < 20; ++repeat) {
            QKeyEvent again(QEvent::KeyPress, Qt::Key_W, {}, QStringLiteral("w"), true),
                gone(QEvent::KeyRelease, Qt::Key_W, {}, QStringLiteral("w"), true);
            QApplication::sendEvent(m_view->canvas(), &gone);
            QApplication::sendEvent(m_view->canvas(), &again);
        }
        QCOMPARE(state().range(), before);
        QTRY_VERIFY(length() < before.duration() / 2); // the key is still held
        QTest::keyRelease(m_view->canvas(), Qt::Key_W);
    }

    void losingTheFocusLetsGo()
    {
        QTest::keyPress(m_view->canvas(), Qt::Key_W);
        m_view->axes()->setFocus();
        const Ns then = length();
        QTest::qWait(60);
        QCOMPARE(length(), then);
    }

    void fewEventsMoveOneByOne()
    {
        state().setRange({3000, 3012});
        QTest::keyClick(m_view->canvas(), Qt::Key_D);
        QCOMPARE(state().range(), (TimeSpan{3001, 3013}));
        QTest::keyClick(m_view->canvas(), Qt::Key_A);
        QCOMPARE(state().range(), (TimeSpan{3000, 3012}));
        QTest::keyClick(m_view->canvas(), Qt::Key_D, Qt::ShiftModifier);
        QVERIFY(state().range().begin > 3001);
    }

    /// Compares the colour of every band with its group. The old colours stay until the new ones are ready.
    void coloursTellGroupsApart_data()
    {
        QTest::addColumn<int>("by");
        QTest::newRow("stream") << int(MemorySession::Colour::Stream);
        QTest::newRow("pool") << int(MemorySession::Colour::Pool);
        QTest::newRow("category") << int(MemorySession::Colour::Category);
        QTest::newRow("stack") << int(MemorySession::Colour::Stack);
    }
    void coloursTellGroupsApart()
    {
        QFETCH(int, by);
        const auto colour = static_cast<MemorySession::Colour>(by);
        m_memory->setColour(MemorySession::Colour::Size);
        QTRY_VERIFY(m_view->settled() && state().colours().by == MemorySession::Colour::Size);
        const std::vector<uint32_t> before = state().colours().colours;
        m_memory->setColour(colour);
        QCOMPARE(state().colours().colours, before);
        m_view->canvas()->grab(); // paints with the old colours
        QTRY_VERIFY(m_view->settled() && state().colours().by == colour);
        const Landscape &landscape = *state().landscape();
        const std::vector<uint32_t> &colours = state().colours().colours;
        QCOMPARE(colours.size(), size_t(landscape.bands()));
        const GroupKeys streams(*m_facts, MemoryGrouping::Stream), pools(*m_facts, MemoryGrouping::Pool);
        const MemoryCategories categories(*m_facts, MemoryRules::builtIn());
        std::map<std::string, uint32_t> known;
        for (uint32_t band = 0; band < landscape.bands(); ++band) {
            const uint32_t row = landscape.row(band);
            const uint32_t stack =
                allocationStack(m_facts->snapshot(), m_memory->device()->allocations, row).key(m_facts->snapshot());
            const std::string name = colour == MemorySession::Colour::Stream ? streams.name(streams.of(0, row))
                                     : colour == MemorySession::Colour::Pool ? pools.name(pools.of(0, row))
                                     : colour == MemorySession::Colour::Category
                                         ? categories.verdicts()[categories.verdict(0, row)].category
                                         : std::to_string(stack);
            QCOMPARE(colours[band], known.try_emplace(name, colours[band]).first->second);
        }
        std::set<uint32_t> different;
        for (const auto &[name, one] : known)
            different.insert(one);
        QVERIFY(different.size() > 1 || known.size() == 1);
        if (colour != MemorySession::Colour::Stack)
            QCOMPARE(state().colours().legend.size(), qsizetype(std::min<size_t>(8, known.size())));
    }

    void coloursFollowTheNumberOfBandsAndTheTheme()
    {
        state().setMost(50);
        m_memory->setColour(MemorySession::Colour::Stream); // while the bands are being computed
        QTRY_VERIFY(m_view->settled() && state().colours().by == MemorySession::Colour::Stream);
        QCOMPARE(state().landscape()->bands(), 50u);
        QCOMPARE(state().colours().colours.size(), size_t(50));
        state().setPalette(Palette::dark());
        QTRY_VERIFY(m_view->settled());
        QCOMPARE(state().colours().palette, &Palette::dark());
    }

private:
    LandscapeState &state() { return *m_view->state(); }
    Ns length() { return state().range().duration(); }

    std::shared_ptr<const SnapshotFacts> m_facts;
    std::unique_ptr<MemorySession> m_memory;
    std::unique_ptr<LandscapeView> m_view;
};

RIFFLE_WIDGET_TEST(LandscapeKeysTest)
#include "landscape_keys_test.moc"
