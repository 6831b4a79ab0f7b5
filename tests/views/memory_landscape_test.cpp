// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The landscape of active memory and the events table, used with keys and mouse.
#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/categories/memory_rules.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/snapshot_generator.h"
#include "views/common/table/stack_reader.h"
#include "views/memory/allocation/allocation_card.h"
#include "views/memory/allocation/allocation_pane.h"
#include "views/memory/events/event_row_model.h"
#include "views/memory/events/events_view.h"
#include "views/memory/landscape/landscape_canvas.h"
#include "views/memory/landscape/landscape_data.h"
#include "views/memory/landscape/landscape_state.h"
#include "views/memory/landscape/landscape_view.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <map>
#include <memory>
#include <random>
#include <set>

using namespace riffle;

class MemoryLandscapeTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("snapshot.pickle"));
        test::SnapshotOptions options;
        options.entries = 6'000;
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        test::generateSnapshot(
            options, [&](std::string_view part) { file.write(part.data(), static_cast<qint64>(part.size())); });
        file.close();
        const auto snapshot = readMemorySnapshot(path.toStdString(), {}, {});
        QVERIFY(snapshot);
        m_facts = std::make_shared<const SnapshotFacts>(*snapshot);
    }
    void init()
    {
        m_memory = std::make_unique<MemorySession>();
        m_view = std::make_unique<LandscapeView>(m_memory.get());
        m_view->resize(1100, 600);
        m_view->show();
        m_events = std::make_unique<EventsView>(m_memory.get());
        m_events->resize(900, 400);
        m_events->show();
        m_memory->setSnapshots({m_facts});
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        QVERIFY(QTest::qWaitFor([this] {
            return m_view->state()->data() && m_view->settled() && m_events->settled() &&
                   m_events->rows()->rowCount() == 6000;
        }));
        m_canvas = m_view->canvas();
        m_canvas->grab(); // paints the picture
    }
    void cleanup()
    {
        m_events.reset();
        m_view.reset();
        m_memory.reset();
    }

    void theEventsShownAreExported()
    {
        QSignalSpy saved(m_events.get(), &EventsView::exportRequested);
        m_events->exportAs(QStringLiteral("csv"));
        QTRY_COMPARE(saved.size(), 1);
        QCOMPARE(saved[0][0].toString(), QStringLiteral("memory_events.csv"));
        QCOMPARE(saved[0][1].toString().count(QLatin1Char('\n')), 6001); // a heading and all events
        m_events->filterBox()->setText(QStringLiteral("#5-#9"));
        QTRY_VERIFY(m_events->settled() && m_events->rows()->rowCount() == 5);
        m_events->exportAs(QStringLiteral("json"));
        QTRY_COMPARE(saved.size(), 2);
        const QJsonArray rows = QJsonDocument::fromJson(saved[1][1].toString().toUtf8()).array();
        QCOMPARE(rows.size(), 5);
        for (int row = 0; row < rows.size(); ++row) {
            QCOMPARE(rows[row][QStringLiteral("event")].toInt(), row + 5);
            QCOMPARE(rows[row][QStringLiteral("address")].toString(),
                     m_events->rows()->text(m_events->rows()->event(row), EventRowModel::Address));
        }
    }

    void selectedAndHoveredAllocationsSayWhatTheyAreGuessedToBe()
    {
        const MemoryCategories categories(*m_facts, MemoryRules::builtIn());
        const DeviceReplay &device = *m_memory->device();
        uint32_t fromBefore = MemorySession::kNone, guessed = MemorySession::kNone;
        for (uint32_t row = 0; row < device.allocations.count(); ++row) {
            if (!allocationStack(m_facts->snapshot(), device.allocations, row).isOfAllocation())
                fromBefore = row;
            else if (const auto &verdict =
                         categories
                             .verdicts()[categories.verdict(static_cast<uint32_t>(m_memory->place().device), row)];
                     !verdict.unknown && !verdict.own && !verdict.inferred)
                guessed = row;
        }
        AllocationPane pane(m_memory.get());
        pane.show();
        QVERIFY(QTest::qWaitForWindowExposed(&pane));
        if (guessed != MemorySession::kNone) {
            m_memory->select(guessed);
            const auto &verdict =
                categories.verdicts()[categories.verdict(static_cast<uint32_t>(m_memory->place().device), guessed)];
            QTRY_VERIFY(
                pane.text().contains(QString::fromStdString(verdict.category + " (guessed: " + verdict.rule + ")")));
            QVERIFY(!pane.text().contains(QStringLiteral("Freed at:")));
        }
        if (fromBefore != MemorySession::kNone) {
            m_memory->select(fromBefore);
            QTRY_VERIFY(pane.text().contains(QStringLiteral("Freed at:")));
        }
        QVERIFY(guessed != MemorySession::kNone || fromBefore != MemorySession::kNone);
    }
    void keysZoomAndPan()
    {
        const TimeSpan whole = m_view->state()->range();
        QTest::keyClick(m_canvas, Qt::Key_W);
        const TimeSpan zoomed = m_view->state()->range();
        QVERIFY(zoomed.duration() < whole.duration());
        QTest::keyClick(m_canvas, Qt::Key_D);
        QVERIFY(m_view->state()->range().begin > zoomed.begin);
        QCOMPARE(m_view->state()->range().duration(), zoomed.duration());
        QTest::keyClick(m_canvas, Qt::Key_A);
        QCOMPARE(m_view->state()->range(), zoomed);
        QTest::keyClick(m_canvas, Qt::Key_S);
        QTest::keyClick(m_canvas, Qt::Key_0);
        QCOMPARE(m_view->state()->range(), whole);
        QTest::keyClick(m_canvas, Qt::Key_Plus);
        QVERIFY(m_view->state()->top() < m_view->state()->wholeTop());
    }

    void stepsOfTheTraceBesideStandAboveIt()
    {
        const auto &own = m_view->state()->data()->marks;
        const double top = m_canvas->plot().top();
        const auto times = m_view->state()->data()->times;
        QVERIFY(!times.empty() && own.empty());
        m_memory->setSteps({{7, times.front(), times[3000]}, {8, times[3000], times.back()}});
        QCOMPARE(m_view->state()->marks().size(), size_t(2));
        QCOMPARE(m_view->state()->marks()[1].name, std::string("Step 8"));
        QCOMPARE(m_view->state()->marks()[1].row, 0);
        QCOMPARE(m_canvas->plot().top(), top + 15);
        m_memory->setSteps({});
        QCOMPARE(m_canvas->plot().top(), top);
    }

    void theWheelKeepsWhatIsUnderThePointer()
    {
        const QPointF at = m_canvas->plot().center() + QPointF(90, 0);
        const Ns before = m_canvas->positionAt(at.x());
        wheel(at, 120, Qt::ControlModifier);
        QVERIFY(m_view->state()->range().duration() < m_view->state()->axis().whole().duration());
        QVERIFY(std::abs(m_canvas->positionAt(at.x()) - before) <= m_view->state()->range().duration() / 200);
        const TimeSpan range = m_view->state()->range();
        wheel(at, -120, Qt::ShiftModifier);
        QVERIFY(m_view->state()->range().begin > range.begin);
        wheel(at, 240, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_view->state()->top() - m_view->state()->bottom() < m_view->state()->wholeTop());
    }

    void aHitIsWhatAReplayFinds()
    {
        const MemorySnapshot &snapshot = m_facts->snapshot();
        const DeviceReplay &device = *m_memory->device();
        const auto &all = device.allocations;
        std::mt19937 random(5);
        const QRectF plot = m_canvas->plot();
        for (int look = 0; look < 1000; ++look) {
            if (look % 200 == 199) {
                QTest::keyClick(m_canvas, look % 400 == 199 ? Qt::Key_W : Qt::Key_Plus);
                m_canvas->grab();
            }
            const QPointF at(plot.left() + static_cast<double>(random() % 9000) / 9000 * plot.width(),
                             plot.top() + static_cast<double>(random() % 9000) / 9000 * plot.height());
            const auto hit = m_canvas->hitAt(at);
            QVERIFY(hit.inside);
            // Allocations are ordered by their start; the ones that are alive after the event are stacked in this
            // order.
            int64_t base = 0;
            uint32_t wanted = MemorySession::kNone;
            for (uint32_t row = 0; row < all.count(); ++row) {
                const uint32_t begin =
                    all.begin[row] == MemorySession::kNone ? 0 : all.begin[row] - device.firstEvent + 1;
                const uint32_t end =
                    all.end[row] == MemorySession::kNone ? device.events + 1 : all.end[row] - device.firstEvent + 1;
                if (hit.slot < begin || hit.slot >= end)
                    continue;
                const int64_t size = all.size(snapshot, row);
                if (hit.height >= base && hit.height < base + size)
                    wanted = row;
                base += size;
            }
            QCOMPARE(hit.allocation, wanted);
            QVERIFY(!hit.rest); // every allocation has its own band
            QCOMPARE(m_view->state()->data()->levels.at(hit.slot)[1], base);
        }
    }

    /// Checks every available snapshot whose history can be replayed forward without ambiguity.
    void realHitsAreWhatAReplayFinds()
    {
        const QDir folder(qEnvironmentVariable("RIFFLE_TRACES") + QStringLiteral("/memsnap"));
        if (qEnvironmentVariableIsEmpty("RIFFLE_TRACES") || !folder.exists())
            QSKIP("NO REAL TRACES: set RIFFLE_TRACES. Nothing was compared.");
        int checked = 0;
        for (const QString &name : folder.entryList(QDir::Files)) {
            const auto snapshot = readMemorySnapshot(folder.filePath(name).toStdString(), {}, {});
            QVERIFY2(snapshot, qPrintable(name));
            const auto facts = std::make_shared<const SnapshotFacts>(*snapshot);
            for (size_t device = 0; device < facts->replay().devices.size(); ++device)
                checked += hitsOf(facts, device);
        }
        QVERIFY(checked >= 5000);
    }

    void aClickSelectsAndMovesTheInstant()
    {
        const QPoint at = bandPoint();
        QTest::mouseClick(m_canvas, Qt::LeftButton, Qt::NoModifier, at);
        const auto hit = m_canvas->hitAt(at);
        QVERIFY(hit.allocation != MemorySession::kNone);
        QCOMPARE(m_memory->selected(), hit.allocation);
        QCOMPARE(m_memory->instant(), m_view->state()->data()->eventOf(hit.slot));
        QTRY_VERIFY(m_view->pane()->text().contains(QStringLiteral("Address")));
        QVERIFY(!m_view->pane()->stack()->frames().empty());
        // The events table follows.
        const EventAllocations allocations(*m_memory->device());
        QTRY_COMPARE(allocations.of(m_events->rows()->event(m_events->table()->currentIndex().row())), hit.allocation);
        QTest::keyClick(m_canvas, Qt::Key_Escape);
        QCOMPARE(m_memory->selected(), MemorySession::kNone);
    }

    void hoveringSaysWhatItIs()
    {
        const QPoint at = bandPoint();
        QTest::mouseMove(m_canvas, at);
        QCOMPARE(m_memory->hovered(), m_canvas->hitAt(at).allocation);
        QVERIFY(m_view->card()->isVisible());
        QVERIFY2(m_view->card()->lines().join(QLatin1Char('\n')).contains(QStringLiteral("0x")),
                 qPrintable(m_view->card()->lines().join(QLatin1Char('\n'))));
    }

    void draggingChoosesARange()
    {
        const QRectF plot = m_canvas->plot();
        const QPoint from(static_cast<int>(plot.left() + plot.width() * 0.25), 200),
            to(static_cast<int>(plot.left() + plot.width() * 0.5), 260);
        QTest::mousePress(m_canvas, Qt::LeftButton, Qt::NoModifier, from);
        QTest::mouseMove(m_canvas, to);
        QTest::mouseRelease(m_canvas, Qt::LeftButton, Qt::NoModifier, to);
        QVERIFY(m_memory->range());
        const auto &data = *m_view->state()->data();
        QCOMPARE(m_memory->range()->first, data.eventOf(m_canvas->slotAt(from.x())));
        QCOMPARE(m_memory->range()->last, data.eventOf(m_canvas->slotAt(to.x())));
        QTest::keyClick(m_canvas, Qt::Key_F);
        QVERIFY(m_view->state()->range().duration() < m_view->state()->axis().whole().duration() / 2);
        QTest::keyClick(m_canvas, Qt::Key_Escape);
        QVERIFY(!m_memory->range());
    }

    void scrubbingMovesTheInstant()
    {
        const QRectF plot = m_canvas->plot();
        const int below = static_cast<int>(plot.bottom()) + 8, middle = static_cast<int>(plot.center().x());
        QTest::mousePress(m_canvas, Qt::LeftButton, Qt::NoModifier, QPoint(middle, below));
        QCOMPARE(m_view->state()->data()->slotOf(m_memory->instant()), m_canvas->slotAt(middle));
        QTest::mouseMove(m_canvas, QPoint(middle - 150, below));
        QCOMPARE(m_view->state()->data()->slotOf(m_memory->instant()), m_canvas->slotAt(middle - 150));
        QTest::mouseRelease(m_canvas, Qt::LeftButton, Qt::NoModifier, QPoint(middle - 150, below));
        QVERIFY(!m_memory->range());
    }

    void keysStepInstantBandAndRange()
    {
        QTest::keyClick(m_canvas, Qt::Key_P);
        const uint32_t peak = m_memory->device()->peakAllocatedEvent;
        QCOMPARE(m_memory->instant(), peak);
        QTest::keyClick(m_canvas, Qt::Key_Left);
        QCOMPARE(m_memory->instant(), peak - 1);
        QTest::keyClick(m_canvas, Qt::Key_Right);
        QTest::keyClick(m_canvas, Qt::Key_Up);
        const uint32_t lowest = m_memory->selected();
        QVERIFY(lowest != MemorySession::kNone);
        QTest::keyClick(m_canvas, Qt::Key_Up);
        QVERIFY(m_memory->selected() > lowest); // younger
        QTest::keyClick(m_canvas, Qt::Key_Down);
        QCOMPARE(m_memory->selected(), lowest);
        QTest::keyClick(m_canvas, Qt::Key_R);
        QTest::keyClick(m_canvas, Qt::Key_Left, Qt::ShiftModifier);
        QTest::keyClick(m_canvas, Qt::Key_R);
        QCOMPARE(*m_memory->range(), (MemorySession::EventRange{peak - 100, peak}));
    }

    void theAxisCanBeTimeAndColoursChange()
    {
        const QImage byStack = m_canvas->grab().toImage();
        QVERIFY(m_view->state()->canBeTimed());
        m_view->axes()->setFocus();
        QTest::keyClick(m_view->axes(), Qt::Key_Down);
        QVERIFY(m_view->state()->timed());
        const QImage timed = m_canvas->grab().toImage();
        QVERIFY(timed != byStack);
        m_view->colourings()->setFocus();
        QTest::keyClick(m_view->colourings(), Qt::Key_Down);
        QCOMPARE(m_memory->colour(), MemorySession::Colour::Size);
        QTRY_COMPARE(m_canvas->colours().by, MemorySession::Colour::Size);
        QVERIFY(m_canvas->grab().toImage() != timed);
        QCOMPARE(m_canvas->colours().colours.size(), size_t(m_view->state()->landscape()->bands()));
    }

    void fewerBandsLeaveARest()
    {
        m_view->state()->setMost(10);
        QTRY_COMPARE(m_view->state()->landscape()->bands(), 10u);
        m_canvas->grab();
        const uint32_t slot = m_view->state()->data()->slotOf(m_memory->instant());
        QVERIFY(m_view->state()->landscape()->top(slot) < m_view->state()->data()->levels.at(slot)[1]);
    }

    void theTableFiltersAndJumps()
    {
        m_events->filterBox()->setFocus();
        QTest::keyClicks(m_events->filterBox(), QStringLiteral("alloc >1K"));
        QTRY_VERIFY(m_events->settled() && m_events->rows()->rowCount() < 6000);
        const auto &events = m_facts->snapshot().events;
        int wanted = 0;
        for (uint32_t event = 0; event < events.count(); ++event)
            wanted += events.action[event] == MemoryAction::Alloc && events.size[event] > 1024;
        QCOMPARE(m_events->rows()->rowCount(), wanted);
        m_events->table()->setFocus();
        m_events->table()->setCurrentIndex(m_events->rows()->index(wanted / 2, 0));
        QTest::keyClick(m_events->table(), Qt::Key_Return);
        const uint32_t event = m_events->rows()->event(wanted / 2);
        QCOMPARE(m_memory->instant(), event);
        QVERIFY(m_memory->selected() != MemorySession::kNone);
        QCOMPARE(m_memory->device()->allocations.begin[m_memory->selected()], event);
        QTest::keyClick(m_events->table(), Qt::Key_Down);
        QTest::keyClick(m_events->table(), Qt::Key_Return);
        QCOMPARE(m_memory->instant(), m_events->rows()->event(wanted / 2 + 1));
        m_events->filterBox()->setText(QStringLiteral(">ten"));
        QTRY_VERIFY(m_events->said().contains(QStringLiteral("is not a size")));
        QCOMPARE(m_events->rows()->rowCount(), wanted);
    }

private:
    struct Life {
        uint64_t address;
        int64_t size;
        uint32_t begin, end; ///< in slots
    };
    /// Lifetimes of allocations from a forward replay. An allocation lives from its alloc event until its address is
    /// freed. Allocations that are freed without an alloc event, and blocks at addresses that no event names, existed
    /// before.
    static std::vector<Life> livesOf(const MemorySnapshot &snapshot, const DeviceReplay &device)
    {
        const auto &events = snapshot.events;
        std::vector<Life> before, lives;
        std::map<uint64_t, size_t> open;
        std::set<uint64_t> known;
        for (uint32_t at = 0; at < device.events; ++at) {
            const uint32_t event = device.firstEvent + at;
            const uint64_t address = events.address[event];
            const MemoryAction action = events.action[event];
            if (action == MemoryAction::Alloc) {
                open[address] = lives.size();
                lives.push_back({address, events.size[event], at + 1, device.events + 1});
            } else if (action == MemoryAction::FreeCompleted || action == MemoryAction::Free) {
                if (open.contains(address))
                    lives[open[address]].end = at + 1;
                else
                    before.push_back({address, events.size[event], 0, at + 1});
                open.erase(address);
            }
            if (action <= MemoryAction::Free)
                known.insert(address);
        }
        for (const MemorySegment &segment : snapshot.segments)
            if (segment.device == device.device && segment.host == device.host)
                for (const MemoryBlock &block : snapshot.blocksOf(segment))
                    if (block.state != BlockState::Inactive && !known.contains(block.address))
                        before.push_back({block.address, block.requested, 0, device.events + 1});
        std::sort(before.begin(), before.end(), [](const Life &a, const Life &b) { return a.address < b.address; });
        before.insert(before.end(), lives.begin(), lives.end());
        return before;
    }
    /// Compares hits with the replay. Returns how many were compared; 0 if the history is inconsistent.
    static int hitsOf(const std::shared_ptr<const SnapshotFacts> &facts, size_t at)
    {
        const DeviceReplay &device = facts->replay().devices[at];
        if (device.doubleAllocations.count || device.vanished.count || device.unknownFrees.count ||
            device.otherSizes.count)
            return 0;
        const auto data = makeLandscapeData(facts, at, {});
        const Landscape landscape(data->columns, 1'000'000);
        const std::vector<Life> lives = livesOf(facts->snapshot(), device);
        std::mt19937_64 random(at + 1);
        for (int look = 0; look < 1000; ++look) {
            const auto slot = static_cast<uint32_t>(random() % data->columns.slotCount);
            const auto height = static_cast<int64_t>(random() % (static_cast<uint64_t>(landscape.top(slot)) + 1000));
            int64_t base = 0;
            const Life *wanted = nullptr;
            for (const Life &life : lives) {
                if (slot < life.begin || slot >= life.end)
                    continue;
                if (height >= base && height < base + life.size)
                    wanted = &life;
                base += life.size;
            }
            const uint32_t band = landscape.bandAt(slot, height);
            const bool same =
                wanted ? band != Landscape::kNone && landscape.size(band) == wanted->size &&
                             landscape.begin(band) == wanted->begin &&
                             device.allocations.address(facts->snapshot(), landscape.row(band)) == wanted->address
                       : band == Landscape::kNone;
            if (!same || landscape.top(slot) != base) {
                QTest::qFail(qPrintable(QStringLiteral("%1: slot %2, height %3")
                                            .arg(QString::fromStdString(facts->snapshot().path))
                                            .arg(slot)
                                            .arg(height)),
                             __FILE__, __LINE__);
                return 0;
            }
        }
        return 1000;
    }
    /// A point in the middle of the highest band, at the middle of the picture.
    QPoint bandPoint() const
    {
        const int x = static_cast<int>(m_canvas->plot().center().x());
        uint32_t best = 0;
        const Landscape &landscape = *m_view->state()->landscape();
        const uint32_t slot = m_canvas->slotAt(x);
        for (uint32_t band = 0; band < landscape.bands(); ++band)
            if (landscape.base(band, slot) &&
                (!landscape.base(best, slot) || landscape.size(band) > landscape.size(best)))
                best = band;
        return QPoint(x, static_cast<int>(m_canvas->rectOf(landscape.row(best), slot)->center().y()));
    }
    void wheel(QPointF at, int delta, Qt::KeyboardModifiers keys)
    {
        QWheelEvent event(at, m_canvas->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, keys, Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_canvas, &event);
    }

    std::shared_ptr<const SnapshotFacts> m_facts;
    std::unique_ptr<MemorySession> m_memory;
    std::unique_ptr<LandscapeView> m_view;
    std::unique_ptr<EventsView> m_events;
    LandscapeCanvas *m_canvas = nullptr;
};

RIFFLE_WIDGET_TEST(MemoryLandscapeTest)
#include "memory_landscape_test.moc"
