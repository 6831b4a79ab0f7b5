// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// A window in which files are opened, added, removed, unloaded, read again, reordered and shifted at random, while a
// user points, clicks, searches, asks and looks at tables. RIFFLE_STRESS_CHANGES sets the number of actions, and
// RIFFLE_STRESS_SEED selects them.

#include "app/opening/open_controller.h"
#include "app/session/history.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/trace_generator.h"
#include "views/common/session/jobs.h"
#include "views/query/query_editor.h"
#include "views/query/query_view.h"
#include "views/search/find_bar.h"
#include "views/summary/summary_pane.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/timeline_state.h"

#include <QFile>
#include <QLineEdit>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <vector>

using namespace riffle;

class ChangingMembersTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-test-changing-members"));
        for (int file = 0; file < kFiles; ++file)
            write(file);
        QFile broken(path(kBroken));
        QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("this is no trace") > 0);
        connect(&JobFailures::all(), &JobFailures::happened, this, [this](const QString &why) { m_problems += why; });
    }

    void everythingPointsAtMembersWhateverHappensToThem()
    {
        const int seed = numberOf("RIFFLE_STRESS_SEED", 1), actions = numberOf("RIFFLE_STRESS_CHANGES", 60);
        m_random.seed(static_cast<uint64_t>(seed));
        makeWindow();
        connect(m_window->controller(), &OpenController::notice, this,
                [this](NoticeBar::Level level, const QString &text) {
                    if (level == NoticeBar::Level::Problem && !text.contains(kBroken))
                        m_problems += text;
                });
        open(request({0, 1, 2}));
        const auto note = [this] {
            for (const LoadedTrace &member : session()->traces().loaded())
                m_traces[member.trace.get()] = member.trace;
        };
        note();
        connect(session(), &Session::changed, this, [&](Session::Changes changes) {
            if (changes & Session::AnyTraces)
                note();
        });
        for (int at = 0; at < actions; ++at) {
            const char *action = act();
            if (below(2) == 0)
                QTest::qWait(static_cast<int>(below(20))); // the next one comes while views still ask
            else
                QVERIFY2(settled() && QTest::qWaitFor([this] { return onlyMembersAreInMemory(); }), action);
            const QString wrong = whatIsWrong();
            QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("RIFFLE_STRESS_SEED=%1, action %2, %3: %4")
                                                     .arg(seed)
                                                     .arg(at)
                                                     .arg(QString::fromLatin1(action), wrong)));
        }
        closeWindow();
        QVERIFY2(std::ranges::all_of(m_traces, [](const auto &known) { return known.second.expired(); }),
                 "something still uses a trace of a window that is gone");
        QVERIFY2(m_problems.isEmpty(), qPrintable(m_problems.join(QLatin1Char('\n'))));
    }

private:
    static constexpr int kFiles = 4;
    static constexpr size_t kMostMembers = 6;
    static inline const QString kBroken = QStringLiteral("broken.json");

    static int numberOf(const char *variable, int otherwise)
    {
        return qEnvironmentVariableIsSet(variable) ? qEnvironmentVariableIntValue(variable) : otherwise;
    }
    size_t below(size_t count) { return m_random() % count; }

    QString file(int number) const { return path(QStringLiteral("rank%1.json").arg(number)); }
    /// Puts the next of two versions of a trace in place of its file, as another run does.
    void write(int number)
    {
        test::TraceOptions options;
        options.rank = number;
        options.worldSize = kFiles;
        options.layers = 1;
        options.steps = 2 + m_versions[static_cast<size_t>(number)]++ % 2;
        options.seed = static_cast<uint32_t>(10 * number + options.steps);
        std::string text;
        test::ByteSink sink(test::ByteSink::toString(text));
        test::generateTrace(options, sink);
        sink.flush();
        QFile out(file(number) + QStringLiteral(".new"));
        if (!out.open(QIODevice::WriteOnly) || out.write(text.data(), static_cast<qint64>(text.size())) < 0)
            qFatal("no room for a file");
        out.close();
        if (std::rename(QFile::encodeName(out.fileName()).constData(), QFile::encodeName(file(number)).constData()) !=
            0)
            qFatal("a file cannot be replaced");
    }
    OpenRequest request(std::initializer_list<int> files) const
    {
        OpenRequest request;
        for (const int number : files)
            request.files += file(number);
        return request;
    }

    bool settled()
    {
        return QTest::qWaitFor(
            [this] {
                return m_window->settled() && m_window->controller()->idle() &&
                       std::ranges::none_of(session()->traces().members(), [](const TraceMember &member) {
                           return member.state == MemberState::Loading;
                       });
            },
            60'000);
    }

    /// True if no view keeps a trace that was removed, unloaded or read again.
    bool onlyMembersAreInMemory()
    {
        std::erase_if(m_traces, [](const auto &known) { return known.second.expired(); });
        return std::ranges::all_of(m_traces, [this](const auto &known) {
            return std::ranges::any_of(session()->traces().loaded(),
                                       [&](const LoadedTrace &member) { return member.trace.get() == known.first; });
        });
    }

    /// Does something at random and returns what it was.
    const char *act()
    {
        struct Action {
            const char *name;
            void (ChangingMembersTest::*act)();
        };
        static constexpr std::array kActions{
            Action{"open", &ChangingMembersTest::openOthers},
            Action{"add", &ChangingMembersTest::add},
            Action{"remove", &ChangingMembersTest::remove},
            Action{"unload", &ChangingMembersTest::unload},
            Action{"read again", &ChangingMembersTest::again},
            Action{"reorder", &ChangingMembersTest::reorder},
            Action{"shift", &ChangingMembersTest::shift},
            Action{"click a label", &ChangingMembersTest::label},
            Action{"click", &ChangingMembersTest::click},
            Action{"key", &ChangingMembersTest::key},
            Action{"show a view", &ChangingMembersTest::show},
            Action{"search", &ChangingMembersTest::search},
            Action{"query", &ChangingMembersTest::query},
            Action{"filter", &ChangingMembersTest::filter},
            Action{"area", &ChangingMembersTest::area},
            Action{"go", &ChangingMembersTest::go},
            Action{"critical path", &ChangingMembersTest::critical},
            Action{"layout", &ChangingMembersTest::layoutOfRanks},
        };
        const Action &chosen = kActions[below(kActions.size())];
        (this->*chosen.act)();
        return chosen.name;
    }

    std::optional<TraceId> anyMember()
    {
        const auto members = session()->traces().members();
        return members.empty() ? std::nullopt : std::optional(members[below(members.size())].id);
    }
    const LoadedTrace *anyLoaded()
    {
        const auto loaded = session()->traces().loaded();
        return loaded.empty() ? nullptr : &loaded[below(loaded.size())];
    }

    void openOthers()
    {
        QStringList files;
        for (int number = 0; number < kFiles; ++number)
            if (below(2))
                files += file(number);
        if (below(4) == 0)
            files += path(kBroken);
        if (!files.isEmpty())
            dropFiles(*m_window, files);
    }
    void add()
    {
        if (session()->traces().members().size() >= kMostMembers)
            return;
        TraceSet set = session()->traces();
        const TraceId id = set.expect(file(static_cast<int>(below(kFiles))).toStdString());
        set.unload(id);
        session()->changeTraces(std::move(set));
        m_window->controller()->load(id);
    }
    void remove()
    {
        const auto id = anyMember();
        if (!id)
            return;
        TraceSet set = session()->traces();
        set.remove(*id);
        change(std::move(set), *id);
    }
    void unload()
    {
        const qint64 before = m_settings->memoryLimitBytes();
        m_settings->setMemoryLimitBytes(1);
        m_window->controller()->keepToBudget();
        m_settings->setMemoryLimitBytes(before);
    }
    void again()
    {
        if (below(2))
            write(static_cast<int>(below(kFiles)));
        QStringList files;
        for (const TraceMember &member : session()->traces().members())
            files += QString::fromStdString(member.path);
        if (!files.isEmpty())
            dropFiles(*m_window, files);
    }
    void reorder()
    {
        const auto id = anyMember();
        if (!id)
            return;
        TraceSet set = session()->traces();
        set.move(*id, below(set.members().size()));
        const TimeSpan visible = session()->pane()->visibleRange();
        change(std::move(set));
        if (session()->pane()->visibleRange() != visible)
            m_moved = true;
    }
    void shift()
    {
        const LoadedTrace *member = anyLoaded();
        if (!member)
            return;
        TraceSet set = session()->traces();
        const Ns by = static_cast<Ns>(below(20'000'000)) - 10'000'000;
        const TimeSpan span = member->trace->span;
        set.setTime(member->id, TimeMap({{span.begin, span.begin + by}, {span.end, span.end + by + 300}}));
        change(std::move(set));
    }
    void label()
    {
        LaneLabels &labels = m_window->timeline()->labels();
        QTest::mouseClick(&labels, Qt::LeftButton, {}, anyPoint(labels));
    }
    void click()
    {
        LanesCanvas &canvas = m_window->timeline()->canvas();
        const QPoint point = anyPoint(canvas);
        QTest::mouseMove(&canvas, point);
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, point);
    }
    void key()
    {
        constexpr std::array kKeys{Qt::Key_F,     Qt::Key_0,  Qt::Key_M,           Qt::Key_Period,
                                   Qt::Key_Comma, Qt::Key_N,  Qt::Key_BracketLeft, Qt::Key_BracketRight,
                                   Qt::Key_Down,  Qt::Key_Up, Qt::Key_Escape};
        QTest::keyClick(m_window->timeline(), kKeys[below(kKeys.size())]);
    }
    void show() { QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_1 + below(9)), Qt::ControlModifier); }
    void search()
    {
        if (below(3) == 0) {
            QTest::keyClick(m_window.get(), Qt::Key_F3);
            return;
        }
        m_window->startSearch();
        auto *text = m_window->findBar()->box();
        text->clear();
        QTest::keyClicks(text, QStringLiteral("gemm"));
        QTest::keyClick(text, below(4) ? Qt::Key_Return : Qt::Key_Escape);
    }
    void query()
    {
        constexpr std::array kQueries{"select trace, id, ts, dur from kernels order by dur desc limit 100",
                                      "select * from summary_operators",
                                      "select trace, name, sum(dur) from slices group by trace, name"};
        auto *view = m_window->findChild<QueryView *>();
        view->editor()->setPlainText(QString::fromLatin1(kQueries[below(kQueries.size())]));
        QTest::keyClick(view->editor(), Qt::Key_Return, Qt::ControlModifier);
        if (below(2)) {
            QTest::qWait(30);
            below(2) ? view->highlightRows() : view->setLaneShown(true);
        }
    }
    void filter()
    {
        Filters filters;
        const LoadedTrace *member = anyLoaded();
        switch (below(6)) {
        case 0: filters.text = "mm"; break;
        case 1: filters.withoutFirstStep = true; break;
        case 2:
            if (const auto id = anyMember())
                filters.traces = {*id};
            break;
        case 3:
            if (member)
                filters.lanes = {{member->id, LaneId(static_cast<uint32_t>(below(member->trace->lanes.size())))}};
            break;
        case 4: filters.classes = bitOf(WorkClass::Forward); break;
        default: filters.stepMark = "aten::linear"; break;
        }
        session()->setFilters(std::move(filters));
    }
    void area()
    {
        const LoadedTrace *member = anyLoaded();
        if (!member)
            return;
        TimeSpan span = session()->traces().span();
        span.end -= span.duration() / 2;
        const LaneRef lane{member->id, LaneId(static_cast<uint32_t>(below(member->trace->lanes.size())))};
        session()->setArea(AreaSelection{span, below(2) ? std::vector{lane} : std::vector<LaneRef>()});
    }
    void go()
    {
        if (below(2))
            m_window->findChild<History *>()->settle();
        QTest::keyClick(m_window->timeline(), below(2) ? Qt::Key_Left : Qt::Key_Right, Qt::AltModifier);
    }
    void critical() { m_window->timeline()->showCriticalPath(!m_window->timeline()->showsCriticalPath()); }
    void layoutOfRanks()
    {
        const auto panes = m_window->findChildren<SummaryPane *>();
        panes[static_cast<qsizetype>(below(static_cast<size_t>(panes.size())))]->choose(
            static_cast<RankLayout>(below(3)));
    }
    QPoint anyPoint(const QWidget &widget)
    {
        return {static_cast<int>(below(static_cast<size_t>(widget.width()))),
                static_cast<int>(below(static_cast<size_t>(widget.height())))};
    }

    /// The references to members other than one.
    struct Pointers {
        SliceRef selected;
        std::vector<LaneRef> area, lanes;
        std::vector<TraceId> traces;
        std::vector<Mark> marks;
        PerTrace<std::vector<uint32_t>> names;
        PerTrace<BigVector<uint32_t>> slices;
        bool operator==(const Pointers &) const = default;
    };
    Pointers pointersBut(TraceId one)
    {
        const Filters &filters = session()->filters();
        Pointers all{session()->selected(),
                     {},
                     filters.lanes,
                     filters.traces,
                     session()->marks(),
                     session()->highlight(),
                     session()->highlightedSlices()};
        if (session()->area())
            all.area = session()->area()->lanes;
        if (all.selected.trace == one)
            all.selected = {};
        for (std::vector<LaneRef> *lanes : {&all.area, &all.lanes})
            std::erase_if(*lanes, [one](const LaneRef &lane) { return lane.trace == one; });
        std::erase(all.traces, one);
        std::erase_if(all.marks, [one](const Mark &mark) { return mark.trace == one || !mark.trace.valid(); });
        all.names.erase(one);
        all.slices.erase(one);
        return all;
    }
    /// Changes the set, of which nothing goes but `gone`.
    void change(TraceSet set, TraceId gone = {})
    {
        const Pointers before = pointersBut(gone);
        session()->changeTraces(std::move(set));
        if (pointersBut(gone) != before)
            m_moved = true;
    }

    /// Returns the first thing that must not be so; empty if there is none.
    QString whatIsWrong()
    {
        if (m_moved)
            return QStringLiteral("what points at other members did not stay");
        const TraceSet &set = session()->traces();
        const auto isSlice = [&set](SliceRef slice) {
            const Trace *trace = set.trace(slice.trace);
            return !slice.valid() || (set.member(slice.trace) && (!trace || trace->slice(slice.slice)));
        };
        const auto isLane = [&set](const LaneRef &lane) {
            const Trace *trace = set.trace(lane.trace);
            return set.member(lane.trace) && (!trace || lane.lane.value < trace->lanes.size());
        };
        if (!isSlice(session()->selected()))
            return QStringLiteral("the selected slice is of no member");
        if (!isSlice(session()->pane()->hovered()))
            return QStringLiteral("the pointer is at a slice of no member");
        if (session()->area() && !std::ranges::all_of(session()->area()->lanes, isLane))
            return QStringLiteral("the area has a lane of no member");
        const Filters &filters = session()->filters();
        if (!std::ranges::all_of(filters.lanes, isLane) ||
            !std::ranges::all_of(filters.traces, [&set](TraceId id) { return set.member(id); }))
            return QStringLiteral("a filter names what is no member");
        for (uint32_t id = 0; id < set.idsEnd() + 10; ++id) {
            if (set.member(TraceId(id)))
                continue;
            if (!session()->bands()[TraceId(id)].empty())
                return QStringLiteral("there are bands of what is no member");
            if (!session()->highlight()[TraceId(id)].empty() || !session()->highlightedSlices()[TraceId(id)].empty())
                return QStringLiteral("slices of what is no member are emphasised");
        }
        std::vector<TraceId> shown, members;
        for (const LaneItem &item : m_window->timeline()->state().layout().items())
            if (item.kind == LaneItem::Kind::TraceHeading)
                shown.push_back(item.trace);
        for (const TraceMember &member : set.members())
            members.push_back(member.id);
        if (members.size() > 1 && shown != members)
            return QStringLiteral("the headings are not in the order of the members");
        return {};
    }

    std::mt19937_64 m_random;
    std::array<int, kFiles> m_versions{};
    QStringList m_problems;
    bool m_moved = false; ///< what pointed at a member did not stay when another one changed
    std::map<const Trace *, std::weak_ptr<const Trace>> m_traces; ///< those that were loaded
};

RIFFLE_WIDGET_TEST(ChangingMembersTest)
#include "changing_members_test.moc"
