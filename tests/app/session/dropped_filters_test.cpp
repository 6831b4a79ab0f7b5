// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/dropped_filters.h"

#include "tests/model/analysis/small_trace.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/session.h"

#include <QTest>

using namespace riffle;

class DroppedFiltersTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_session = std::make_unique<Session>();
        m_session->setTraces(test::setOf(test::trainingTrace()));
        m_dropped = std::make_unique<DroppedFilters>(m_session.get());
    }

    void theLastOneComesBackFirst()
    {
        QVERIFY(!m_dropped->any());
        set([](Filters &filters) { filters.name = "sgemm"; });
        set([](Filters &filters) { filters.steps = {1}; });
        QVERIFY(!m_dropped->any());
        m_session->escape(); // drops the newest
        m_session->escape();
        QVERIFY(m_session->filters().empty());
        m_dropped->bringBack();
        QCOMPARE(m_session->filters().name, std::string("sgemm"));
        QVERIFY(m_session->filters().steps.empty());
        m_dropped->bringBack();
        QCOMPARE(m_session->filters().name, std::string("sgemm"));
        QCOMPARE(m_session->filters().steps, std::vector<int64_t>{1});
        QVERIFY(!m_dropped->any());
        m_dropped->bringBack(); // nothing is left to come back
        QCOMPARE(m_session->filters().steps, std::vector<int64_t>{1});
    }

    void whatWasDroppedTogetherComesBackTogether()
    {
        set([](Filters &filters) {
            filters.name = "sgemm";
            filters.withoutNames = {"copy"};
            filters.text = "gem";
        });
        const Filters all = m_session->filters();
        m_session->setFilters({});
        set([](Filters &filters) { filters.steps = {0}; });
        m_dropped->bringBack();
        Filters expected = all;
        expected.steps = {0}; // stays
        QCOMPARE(m_session->filters(), expected);
    }

    void otherTracesForget()
    {
        set([](Filters &filters) { filters.name = "sgemm"; });
        m_session->setFilters({});
        QVERIFY(m_dropped->any());
        m_session->setTraces(test::setOf(test::trainingTrace()));
        QVERIFY(!m_dropped->any());
    }

private:
    template <typename Change>
    void set(Change change)
    {
        Filters filters = m_session->filters();
        change(filters);
        m_session->setFilters(filters);
    }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<DroppedFilters> m_dropped;
};

RIFFLE_WIDGET_TEST(DroppedFiltersTest)
#include "dropped_filters_test.moc"
