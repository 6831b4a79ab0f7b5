// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/ranks/ranks_page.h"

#include "model/analysis/ranks/rank_facts_of.h"
#include "tests/model/analysis/small_trace.h"
#include "views/common/chart/cell_card.h"
#include "views/common/chart/heat_map.h"
#include "views/common/look/part_of_ranks.h"
#include "views/common/session/empty_notice.h"
#include "views/ranks/rank_cells.h"
#include "views/ranks/rank_grid.h"
#include "views/ranks/stragglers_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace riffle;

/// A run of eight ranks, of which each is in another state.
class RanksPageTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_session = std::make_unique<Session>();
        const auto trace = [](int64_t rank) {
            auto made = std::make_shared<Trace>(*test::trainingTrace());
            made->info.rank = rank;
            made->info.worldSize = 8;
            made->info.path = "run/rank" + std::to_string(rank) + ".json";
            return made;
        };
        const auto loaded = trace(0);
        TraceSet set;
        set.add(loaded);
        set.know(TraceId(0), factsOf(loaded, {100'000, 100'000}));
        for (const int64_t rank : {1, 2, 3}) // on disk, being read and not known, failed
            set.expect("run/rank" + std::to_string(rank) + ".json");
        set.know(TraceId(1), factsOf(trace(1), {100'000, 160'000}));
        set.unload(TraceId(1));
        set.fail(TraceId(3), "run/rank3.json is no trace.");
        set.add(trace(6));
        const TraceId other = set.expect("run/rank6.copy.json"), unknown = set.expect("run/some.json");
        set.know(TraceId(4), factsOf(trace(6), {90'000, 120'000}));
        set.unload(other);
        set.unload(unknown);
        m_session->setTraces(std::move(set));
        std::vector<RunFile> files;
        std::vector<TraceId> members;
        for (const TraceMember &member : m_session->traces().members()) {
            RunFile file;
            file.name = member.path;
            file.why = member.why;
            file.recorded.rank = member.rank;
            file.recorded.worldSize = member.worldSize;
            files.push_back(file);
            members.push_back(member.id);
        }
        for (const auto &[name, kind] : {std::pair("run/rank1.pickle", RunFileKind::Snapshot),
                                         {"run/rank5.pickle", RunFileKind::Snapshot},
                                         {"run/rank_7", RunFileKind::FlightDump}}) {
            RunFile file;
            file.name = name;
            file.kind = kind;
            files.push_back(file);
            members.emplace_back();
        }
        RunFile notes;
        notes.name = "run/notes.txt";
        notes.why = "It is no file that Riffle reads.";
        files.push_back(notes);
        members.emplace_back();
        auto run = std::make_shared<OpenRun>(openRunOf(std::move(files), std::move(members)));
        run->isComplete = true;
        m_session->setRun(run);
        m_page = std::make_unique<RanksPage>(m_session.get());
        m_page->resize(1000, 600);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
        QTRY_VERIFY(m_page->settled() && m_page->map()->data().rows > 0);
    }
    void cleanup()
    {
        m_page.reset();
        m_session.reset();
    }

    void eachRankHasItsStateInWords()
    {
        QStringList said;
        for (const RankGridData::Cell &cell : cells())
            said += cell.name + QLatin1Char(' ') + cell.found + QLatin1Char(' ') + wordsOf(cell.state);
        QCOMPARE(said, (QStringList{QStringLiteral("0 trace in memory"), QStringLiteral("1 trace +s on disk"),
                                    QStringLiteral("2 trace being read"), QStringLiteral("3 not read not readable"),
                                    QStringLiteral("4 missing missing"), QStringLiteral("5 +s no trace"),
                                    QStringLiteral("6 2 traces in memory"), QStringLiteral("7 +f no trace"),
                                    QStringLiteral("some.json trace on disk")}));
        QCOMPARE(cells()[6].copies, size_t(2));
        QCOMPARE(m_page->grid()->data().groups.back().title, QStringLiteral("rank unknown"));
        const QString legend = labelWith(QStringLiteral("in memory"));
        for (const char *part : {"■ in memory", "□ on disk", "… being read", "– no trace", "dashed missing",
                                 "s snapshot", "f Flight Recorder dump"})
            QVERIFY2(legend.contains(QString::fromUtf8(part)), qPrintable(legend));
    }

    void theSideSaysWhatIsMissingAndWhatCouldNotBeRead()
    {
        const QString side = m_page->sideText();
        for (const char *part :
             {"notes.txt", "It is no file that Riffle reads.", "rank3.json", "is no trace", "Missing", "1 rank: 4",
              "World size", "Trace", "4 of 8 ranks", "Snapshot", "ranks: 1, 5"})
            QVERIFY2(side.contains(QString::fromUtf8(part)), qPrintable(side));
        QVERIFY2(!side.contains(QStringLiteral("Compare")), "nobody compares them");
    }

    void aComparisonIsOfferedOnceSomebodyReceivesIt()
    {
        QSignalSpy asked(m_page.get(), &RanksPage::comparisonRequested);
        m_session->setRun(m_session->run());
        QTRY_VERIFY(m_page->sideText().contains(QStringLiteral("Compare A | B")));
        for (QLabel *label : m_page->findChildren<QLabel *>())
            if (label->text().contains(QStringLiteral("compare:0")))
                emit label->linkActivated(QStringLiteral("compare:0"));
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.front().front().value<ComparedPair>().a.cell, std::optional<uint32_t>(6));
    }

    void twoRunsAreComparedByTheFirstRankThatBothCanShow()
    {
        OpenRun open;
        open.files.resize(5);
        for (uint32_t at = 0; at < 4; ++at)
            open.members.emplace_back(at);
        open.members.emplace_back(); // file 4 is a snapshot
        open.files[2].why = "It is no trace.";
        open.layout.runs.resize(2);
        const auto add = [&](size_t run, int64_t rank, RunFileKind kind, uint32_t file) {
            RunCell cell;
            cell.rank = rank;
            cell.files[static_cast<size_t>(kind)] = {FileRef{file}};
            open.layout.runs[run].cells.push_back(cell);
        };
        add(0, 0, RunFileKind::Trace, 0);
        add(0, 1, RunFileKind::Trace, 1);
        add(0, 2, RunFileKind::Snapshot, 4);
        add(1, 0, RunFileKind::Trace, 2);
        add(1, 1, RunFileKind::Trace, 3);
        const ComparedPair runs{{0, {}, {}}, {1, {}, {}}};
        const auto found = comparedMembers(open, runs);
        QVERIFY(found && *found == std::pair(TraceId(1), TraceId(3)));
        const auto files = comparedMembers(open, {{0, 0, {0}}, {1, 1, {3}}});
        QVERIFY(files && *files == std::pair(TraceId(0), TraceId(3)));
        QVERIFY(!comparedMembers(open, {{0, 0, {0}}, {1, 0, {2}}}));
        open.files[3].why = "It is no trace.";
        QVERIFY(!comparedMembers(open, runs));
    }

    void axesWithHugeIndicesArePlacedByOrder()
    {
        constexpr uint32_t kLast = (1 << 24) - 1;
        auto open = std::make_shared<OpenRun>();
        Run run;
        run.axes = {{"dp", kLast + 1}, {"tp", kLast + 1}};
        for (const uint32_t index : {0u, 7u, kLast}) {
            RunCell cell;
            cell.coordinates = {{"dp", index}, {"tp", kLast - index}};
            run.cells.push_back(cell);
        }
        open->layout.runs.push_back(run);
        Session session;
        session.setRun(open);
        const RankGridData data = rankCells(session, {}, true);
        QCOMPARE(data.groups.size(), size_t(1));
        QCOMPARE(data.groups[0].columns, 3);
        QCOMPARE(data.groups[0].rows, 3);
        for (const int at : {0, 1, 2}) {
            QCOMPARE(data.cells[static_cast<size_t>(at)].column, at);
            QCOMPARE(data.cells[static_cast<size_t>(at)].row, 2 - at);
        }
    }

    void theFigureColoursGridAndMap()
    {
        HeatMap *map = m_page->map();
        QCOMPARE(map->data().columns, 2);
        QCOMPARE(rowNames().front(), QStringLiteral("Rank 0"));
        QCOMPARE(m_page->figureBox()->currentText(), QStringLiteral("Own work, at least"));
        QCOMPARE(cells()[1].value, int64_t{90'000}); // the lower median
        QCOMPARE(map->data().values->at(1 * 2 + 1), int64_t{150'000});
        QCOMPARE(cells()[4].value, kNoInt);
        QTest::keyClick(m_page->figureBox(), Qt::Key_Up);
        QTRY_COMPARE(map->data().values->at(1 * 2 + 1), int64_t{160'000});
        QTest::keyClick(m_page->figureBox(), Qt::Key_Down);
        QTRY_COMPARE(map->data().values->at(1 * 2 + 1), int64_t{150'000});
        m_page->findChild<QCheckBox *>()->click();
        // Own work is 90, 150 and 110 µs in the second step, so the median is 110.
        QTRY_COMPARE(map->data().values->at(1 * 2 + 1), int64_t{40'000});
        QCOMPARE(map->data().valueText(40'000), QStringLiteral("+40.00\u00a0µs"));
        m_page->figureBox()->setCurrentIndex(m_page->figureBox()->findData(QStringLiteral("memory_peak_bytes")));
        QTRY_VERIFY(notice().contains(QStringLiteral("Memory peak was not recorded")));
        QCOMPARE(map->data().rows, 0);
    }

    void aCellLeadsToItsStepAndTheSelectionBack()
    {
        QSignalSpy timeline(m_page.get(), &RanksPage::timelineRequested);
        QSignalSpy wanted(m_session.get(), &Session::memberRequested);
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        HeatMap *map = m_page->map();
        QTest::mouseClick(map, Qt::LeftButton, {}, map->cellRect({0, 1}).center());
        QCOMPARE(timeline.count(), 1);
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(m_page->grid()->current(), 0);
        const Step &second = m_session->traces().trace(TraceId(0))->steps[1];
        QVERIFY(m_session->pane()->visibleRange().contains(second.span.begin));
        QTest::keyClick(map, Qt::Key_Down); // rank 1, which is on disk
        QTest::keyClick(map, Qt::Key_Return);
        QCOMPARE(timeline.count(), 2);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().front().value<TraceId>(), TraceId(1));
        QCOMPARE(m_page->grid()->current(), 1);
        m_session->select({TraceId(0), second.slice});
        QTRY_COMPARE(map->current(), (HeatMap::Cell{0, 1}));
        QCOMPARE(m_page->grid()->current(), 0);
        QTest::keyClick(map, Qt::Key_Down);
        m_session->setRun(m_session->run()); // the page is shown afresh, and the current cell stays
        QCoreApplication::processEvents();
        QTRY_VERIFY(m_page->settled());
        QCOMPARE(map->current(), (HeatMap::Cell{1, 1}));
        QCOMPARE(m_page->grid()->current(), 1);
    }

    void aTraceThatNothingPlacesHasACellAndARow()
    {
        HeatMap *map = m_page->map();
        const int last = static_cast<int>(m_page->rows().size()) - 1, cell = static_cast<int>(cells().size()) - 1;
        QTest::keyClick(m_page->grid(), Qt::Key_End);
        QCOMPARE(map->current().row, last);
        QTest::keyClick(map, Qt::Key_Home, Qt::ControlModifier);
        QCOMPARE(m_page->grid()->current(), 0);
        QTest::keyClick(map, Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(m_page->grid()->current(), cell);
    }

    void keysAndThePointerMoveInTheGrid()
    {
        RankGrid *grid = m_page->grid();
        QSignalSpy chosen(grid, &RankGrid::chosen), wanted(m_session.get(), &Session::memberRequested);
        QTest::keyClick(grid, Qt::Key_Home);
        QCOMPARE(grid->current(), 0);
        QTest::keyClick(grid, Qt::Key_Right);
        QCOMPARE(grid->current(), 1);
        QVERIFY2(grid->accessibleDescription().contains(QStringLiteral("Rank 1. State on disk")),
                 qPrintable(grid->accessibleDescription()));
        QCOMPARE(m_page->map()->current().row, 1);
        const int below = grid->cellAt(grid->cellRect(1).center() + QPoint(0, grid->cellRect(1).height() + 3));
        QTest::keyClick(grid, Qt::Key_Down);
        QCOMPARE(grid->current(), below);
        QTest::keyClick(grid, Qt::Key_Home);
        QTest::keyClick(grid, Qt::Key_Right);
        QTest::keyClick(grid, Qt::Key_Return);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(wanted.count(), 1); // rank 1 is on disk
        QTest::mouseMove(grid->viewport(), grid->cellRect(6).center());
        QTRY_VERIFY(grid->card()->isVisible());
        const QString card = grid->card()->lines().join(QLatin1Char('\n'));
        QVERIFY2(card.contains(QStringLiteral("Duplicates")), qPrintable(card));
        QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, grid->cellRect(4).center());
        QCOMPARE(grid->current(), 4);
        QCOMPARE(chosen.count(), 1);
    }

    void tablesSayHowManyRanksTheyAreAbout()
    {
        PartOfRanks badge(m_session.get());
        QCOMPARE(badge.text(), QStringLiteral("2 of 7 ranks"));
        QVERIFY(!badge.isHidden());
        QSignalSpy wanted(m_session.get(), &Session::memberRequested);
        badge.click();
        QCOMPARE(wanted.count(), 3); // one is being read, and one cannot be
        Filters filters;
        filters.traces = {TraceId(0)};
        m_session->setFilters(filters);
        QVERIFY(badge.isHidden());
    }

    void withoutTracesThePageSaysSo()
    {
        m_session->setTraces({});
        m_session->setRun(std::make_shared<OpenRun>());
        QTRY_VERIFY(!notice().isEmpty());
    }

    void theTableNamesTheRankWithTheMostOwnWork()
    {
        StragglersView view(m_session.get());
        view.show();
        QTRY_COMPARE(view.table()->table().rows(), size_t(2));
        QCOMPARE(view.table()->table().column("rank")->texts[1], std::string("Rank 1"));
        QCOMPARE(view.table()->table().column("own_work_ns")->integers[1], int64_t{150'000});
    }

private:
    /// The facts about a trace, in which its two steps have these lengths and 10 µs of exposed communication.
    static std::shared_ptr<const RankFacts> factsOf(const std::shared_ptr<const Trace> &trace,
                                                    const std::vector<Ns> &lengths)
    {
        auto facts = std::make_shared<RankFacts>(rankFactsOf(TraceFacts(trace)));
        std::vector<StepFigures> rows;
        for (size_t step = 0; step < lengths.size(); ++step) {
            StepFigures row = unknownStepFigures();
            row.number = static_cast<int64_t>(step);
            row.start = trace->steps[step].span.begin;
            row.duration = lengths[step];
            row.exposed = 10'000;
            row.missing = 0;
            row.device = 0;
            row.mark = trace->steps[step].slice.value;
            rows.push_back(row);
        }
        facts->steps = stepFigureTable(rows);
        return facts;
    }
    const std::vector<RankGridData::Cell> &cells() const { return m_page->grid()->data().cells; }
    QStringList rowNames() const
    {
        QStringList names;
        for (int row = 0; row < m_page->map()->data().rows; ++row)
            names += m_page->map()->data().rowName(row);
        return names;
    }
    QString labelWith(const QString &part) const
    {
        for (const QLabel *label : m_page->findChildren<QLabel *>())
            if (label->text().contains(part))
                return label->text();
        return {};
    }
    QString notice() const
    {
        for (const EmptyNotice *one : m_page->findChildren<EmptyNotice *>())
            if (one->isVisible())
                return one->text();
        return {};
    }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<RanksPage> m_page;
};

RIFFLE_WIDGET_TEST(RanksPageTest)
#include "ranks_page_test.moc"
