// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/ranks/waits_view.h"

#include "tests/support/import_text.h"

#include <QComboBox>
#include <QTest>
#include <QTreeView>

#include <fmt/format.h>

#include <algorithm>

using namespace riffle;

/// Three ranks compute in two steps of 550 µs. In each, ranks 0 and 1 wait for rank 2 for 100 µs.
class WaitsViewTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_session = std::make_unique<Session>();
        m_view = std::make_unique<WaitsView>(m_session.get());
        m_view->resize(1100, 400);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup()
    {
        m_view.reset();
        m_session.reset();
    }

    void theRankThatOthersWaitForComesFirst()
    {
        m_session->setTraces(ranks(3));
        QTRY_COMPARE(rows(), size_t(7)); // three ranks, and four parts that are no rank's
        QCOMPARE(text(0, "part"), std::string("Own time of rank 2"));
        QCOMPARE(number(0, "time_ns"), int64_t(800'000));
        QCOMPARE(number(0, "cost_ns"), int64_t(200'000));
        QVERIFY(shown().notes.front().starts_with("The others wait for rank 2: it has 100"));
        // A row leads to the call that the others waited for.
        const SliceRef slice = shown().evidence[0];
        QCOMPARE(m_session->traces().title(slice.trace), std::string("Rank 2"));
    }

    void eachTableIsAboutTheSameCalls()
    {
        m_session->setTraces(ranks(3));
        QTRY_COMPARE(rows(), size_t(7));
        choose("steps");
        QTRY_COMPARE(shown().view, std::string("steps"));
        QCOMPARE(rows(), size_t(2));
        QCOMPARE(number(1, "length_ns"), int64_t(550'000));
        choose("matches");
        QTRY_COMPARE(shown().view, std::string("matches"));
        QCOMPARE(rows(), size_t(2));
        QCOMPARE(text(0, "basis"), std::string("sequence number"));
    }

    void oneRankIsNothingToCompare()
    {
        m_session->setTraces(ranks(1));
        QTRY_VERIFY(m_view->settled());
        QCOMPARE(rows(), size_t(0));
        TraceSet more = ranks(3);
        m_session->setTraces(more);
        QTRY_COMPARE(rows(), size_t(7));
        more.unload(more.members()[1].id);
        m_session->changeTraces(more);
        QTRY_COMPARE(rows(), size_t(6));
        QVERIFY(std::ranges::find(shown().notes, "1 rank is not loaded and not compared.") != shown().notes.end());
    }

private:
    static std::string work(int device, int correlation, const char *name, int start, int end,
                            const std::string &more = {})
    {
        return fmt::format(
            R"(,{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":1,"args":{{"correlation":{}}}}})"
            R"(,{{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":{},"stream":7,"correlation":{}{}}}}})",
            start - 20, correlation, name, start, end - start, device, correlation, more);
    }
    static std::shared_ptr<const Trace> rank(int number)
    {
        std::string events;
        for (int step = 0, now = 100; step < 2; ++step, now += 550) {
            const int arrival = now + (number == 2 ? 400 : 300);
            events += fmt::format(
                R"({}{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":540}})",
                step ? "," : "", step, now - 25);
            events += work(number, 10 * step + 1, "gemm", now, arrival);
            events += work(number, 10 * step + 2, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", arrival, now + 450,
                           fmt::format(R"(,"Collective name":"allreduce","In msg nelems":256,"Out msg nelems":256,)"
                                       R"("Group size":3,"dtype":"Float","Process Group Name":"0",)"
                                       R"("Process Group Ranks":"[0, 1, 2]","Seq":{})",
                                       step));
            events += work(number, 10 * step + 3, "adam", now + 450, now + 550);
        }
        const auto trace = test::importText(
            fmt::format(R"({{"schemaVersion":1,"distributedInfo":{{"rank":{},"world_size":3}},"traceEvents":[{}]}})",
                        number, events));
        return trace ? *trace : nullptr;
    }
    static TraceSet ranks(int count)
    {
        std::vector<std::shared_ptr<const Trace>> traces;
        for (int number = 0; number < count; ++number)
            traces.push_back(rank(number));
        return TraceSet::of(traces);
    }
    void choose(const char *word) { m_view->viewBox()->setCurrentIndex(m_view->viewBox()->findData(QByteArray(word))); }
    const ResultTable &shown() const { return m_view->table()->table(); }
    size_t rows() const { return shown().rows(); }
    std::string text(size_t row, const char *key) const { return shown().column(key)->texts[row]; }
    int64_t number(size_t row, const char *key) const { return shown().column(key)->integers[row]; }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<WaitsView> m_view;
};

RIFFLE_WIDGET_TEST(WaitsViewTest)
#include "waits_view_test.moc"
