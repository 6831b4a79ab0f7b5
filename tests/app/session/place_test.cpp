// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/place.h"

#include "app/editor_launcher.h"
#include "tests/model/analysis/small_trace.h"
#include "tests/support/qt/widget_tests.h"

#include <QTest>

using namespace riffle;

class PlaceTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_trace = test::trainingTrace();
        m_session = std::make_unique<Session>();
        m_session->setTraces(test::setOf(m_trace));
    }

    void theCommandLineNamesThePlace()
    {
        m_session->pane()->setVisibleRange({1'010'000, 1'020'000});
        m_session->select({TraceId(0), test::sliceNamed(*m_trace, "aten::mm")});
        OpenRequest request;
        request.files = {QStringLiteral("my traces/it's.json")};
        QCOMPARE(commandLineFor(request, *m_session),
                 QStringLiteral("riffle --view=10us:20us --select aten::mm@5us 'my traces/it'\\''s.json'"));
        request.steps = TimeSpan{2, 3};
        request.range = TimeSpan{0, 1'500'000};
        QVERIFY(commandLineFor(request, *m_session).startsWith(QLatin1String("riffle --range 0ns:1.5ms --steps 2:3 ")));
    }

    void andLeadsBackToIt()
    {
        const SliceRef second = secondNamed("sgemm");
        m_session->select(second);
        PlaceRequest place;
        place.select = selectText(*m_session, second);
        place.view = TimeSpan{100'000, 130'000};
        m_session->select({});
        QVERIFY(goToPlace(*m_session, place));
        QCOMPARE(m_session->selected(), second);
        QCOMPARE(m_session->pane()->visibleRange(), (TimeSpan{1'100'000, 1'130'000}));
    }

    void aBareNameIsTheFirstInTheRange()
    {
        QVERIFY(goToPlace(*m_session, {TimeSpan{100'000, 200'000}, QStringLiteral("sgemm")}));
        QCOMPARE(m_session->selected(), secondNamed("sgemm"));
        QVERIFY(!goToPlace(*m_session, {std::nullopt, QStringLiteral("nothing")}));
    }

    void editorCommandsAreFilledIn()
    {
        const auto command = editorCommand(QStringLiteral("code -g \"%f:%l\""), QStringLiteral("/a b/c.py"), 7);
        QVERIFY(command);
        QCOMPARE(command->program, QStringLiteral("code"));
        QCOMPARE(command->arguments, (QStringList{QStringLiteral("-g"), QStringLiteral("/a b/c.py:7")}));
        QCOMPARE(editorCommand(QStringLiteral("vi +%l"), QStringLiteral("x%l.py"), 3)->arguments,
                 (QStringList{QStringLiteral("+3"), QStringLiteral("x%l.py")}));
        QVERIFY(!editorCommand(QString(), QStringLiteral("x"), 1));
    }

    void theLongestMappedBeginningWins()
    {
        const Settings::PathMap map{{QStringLiteral("/job/"), QStringLiteral("/home/me/")},
                                    {QStringLiteral("/job/lib/"), QStringLiteral("/opt/")}};
        QCOMPARE(mappedPath(QStringLiteral("/job/lib/a.py"), map), QStringLiteral("/opt/a.py"));
        QCOMPARE(mappedPath(QStringLiteral("/job/b.py"), map), QStringLiteral("/home/me/b.py"));
        QCOMPARE(mappedPath(QStringLiteral("/else/b.py"), map), QStringLiteral("/else/b.py"));
    }

private:
    SliceRef secondNamed(std::string_view name) const
    {
        SliceRef found;
        for (uint32_t id = 0; id < m_trace->sliceCount(); ++id) {
            const auto slice = m_trace->slice(SliceId(id));
            if (m_trace->string(slice->data.name) == name && slice->data.start > 1'100'000)
                found = {TraceId(0), SliceId(id)};
        }
        return found;
    }

    std::shared_ptr<const Trace> m_trace;
    std::unique_ptr<Session> m_session;
};

RIFFLE_WIDGET_TEST(PlaceTest)
#include "place_test.moc"
