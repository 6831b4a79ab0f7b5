// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/model/analysis/small_trace.h"
#include "views/common/session/session.h"

#include <QObject>
#include <QTest>

#include <memory>

/// A test of one view of test::trainingTrace(), in its own window.
template <typename View>
class ViewCase : public QObject {
protected:
    void showView(QSize size)
    {
        m_trace = riffle::test::trainingTrace();
        m_session = std::make_unique<riffle::Session>();
        m_session->setTraces(riffle::test::setOf(m_trace));
        m_view = std::make_unique<View>(m_session.get());
        m_view->resize(size);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void closeView()
    {
        m_view.reset();
        m_session.reset();
    }

    std::shared_ptr<const riffle::Trace> m_trace;
    std::unique_ptr<riffle::Session> m_session;
    std::unique_ptr<View> m_view;
};
