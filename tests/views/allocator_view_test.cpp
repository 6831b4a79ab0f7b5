// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/analysis/memory/simulated_allocator.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/empty_notice.h"
#include "views/memory/allocator/allocator_canvas.h"
#include "views/memory/allocator/allocator_curve.h"
#include "views/memory/allocator/allocator_model.h"
#include "views/memory/allocator/allocator_view.h"

#include <QSignalSpy>
#include <QSlider>
#include <QTest>

using namespace riffle;
using namespace riffle::test;

class AllocatorViewTest : public QObject {
    Q_OBJECT

    static constexpr uint32_t kEvents = 2000;
    std::unique_ptr<SimulatedAllocator> m_allocator;
    std::unique_ptr<MemorySession> m_memory;
    std::unique_ptr<AllocatorView> m_view;

    void settle()
    {
        m_view->refreshNow();
        QTRY_VERIFY(m_view->settled() && m_view->model()->state() &&
                    m_view->model()->state()->event == m_memory->instant());
    }
    /// The state of the simulation at the session's instant.
    const SimulatedAllocator::State &truth() const
    {
        const uint32_t instant = m_memory->instant();
        return m_allocator->states[instant == MemorySession::kNone ? 0 : instant + 1];
    }
    void compareWithTruth()
    {
        settle();
        const AllocatorState &state = *m_view->model()->state();
        QCOMPARE(state.segments.size(), truth().segments.size());
        QCOMPARE(size_t(state.figures.blocks), truth().blocks.size());
    }

private slots:
    void init()
    {
        m_allocator = std::make_unique<SimulatedAllocator>(5);
        m_allocator->run(kEvents);
        m_memory = std::make_unique<MemorySession>();
        m_memory->setSnapshots({std::make_shared<const SnapshotFacts>(
            std::make_shared<const MemorySnapshot>(m_allocator->recordedFrom(0)))});
        m_view = std::make_unique<AllocatorView>(m_memory.get());
        m_view->resize(1000, 700);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        settle();
        QTRY_VERIFY(m_view->model()->series());
    }
    void cleanup()
    {
        m_view.reset();
        m_memory.reset();
    }

    void keysGoThroughTheHistoryInBothDirections()
    {
        QSlider *slider = m_view->slider();
        QTest::keyClick(slider, Qt::Key_Home);
        QCOMPARE(m_memory->instant(), MemorySession::kNone);
        compareWithTruth();
        QTest::keyClick(slider, Qt::Key_Right);
        QCOMPARE(m_memory->instant(), 0u);
        compareWithTruth();
        QTest::keyClick(slider, Qt::Key_PageDown);
        QCOMPARE(m_memory->instant(), 100u);
        compareWithTruth();
        QVERIFY(m_view->said().startsWith(QStringLiteral("Event 100 of 2,000: ")));
        QTest::keyClick(slider, Qt::Key_Left);
        QCOMPARE(m_memory->instant(), 99u);
        compareWithTruth();
        QTest::keyClick(m_view->canvas(), Qt::Key_End);
        QCOMPARE(m_memory->instant(), kEvents - 1);
        compareWithTruth();
        QTest::keyClick(m_view->canvas(), Qt::Key_PageUp);
        QCOMPARE(m_memory->instant(), kEvents - 101);
        compareWithTruth();
    }

    void theSliderFollowsTheSession()
    {
        m_memory->setInstant(1234);
        settle();
        QCOMPARE(m_view->slider()->value(), 1235);
        QVERIFY(m_view->said().startsWith(QStringLiteral("Event 1,234 of 2,000: ")));
        const QString figures = m_view->figures();
        QVERIFY2(figures.contains(QString::number(truth().segments.size())), qPrintable(figures));
    }

    void everyBlockIsWhereItIsDrawnAndIsSelectedByAClick()
    {
        m_memory->setInstant(1500);
        settle();
        m_view->canvas()->setZoom(4);
        size_t clicked = 0;
        const AllocatorState state = *m_view->model()->state();
        for (const AllocatorPiece &piece : state.pieces) {
            const auto rect = m_view->canvas()->rectOf(piece.address, piece.size);
            QVERIFY(rect);
            if (rect->width() < 3 || !QRectF(m_view->canvas()->viewport()->rect()).contains(rect->center()))
                continue;
            const AllocatorPiece *found = m_view->canvas()->pieceAt(rect->center());
            QVERIFY(found);
            QCOMPARE(found->address, piece.address);
            QTest::mouseClick(m_view->canvas()->viewport(), Qt::LeftButton, {}, rect->center().toPoint());
            QCOMPARE(m_memory->selected(),
                     piece.state == AllocatorPiece::State::Free ? MemorySession::kNone : piece.allocation);
            ++clicked;
        }
        QVERIFY(clicked > 20);
    }

    void segmentsHoldTheirBytesOnTheMap()
    {
        const AllocatorState &state = *m_view->model()->state();
        uint64_t bytes = 0;
        for (const SegmentFlow::Strip &strip : m_view->canvas()->flow().strips())
            bytes += strip.bytes;
        QCOMPARE(bytes, state.figures.reserved);
        QVERIFY(m_view->canvas()->flow().headings().size() > 1); // streams and pools
    }

    void theCurvesCursorIsTheInstant()
    {
        AllocatorCurve *curve = m_view->curve();
        for (const uint32_t slot : {0u, 500u, 1777u}) {
            QTest::mouseClick(curve, Qt::LeftButton, {},
                              QPoint(static_cast<int>(curve->xOf(slot) + 0.5), curve->height() / 2));
            const uint32_t now = m_view->model()->slotOf(m_memory->instant());
            QVERIFY(std::abs(curve->xOf(now) - curve->xOf(slot)) < 1.5);
        }
        compareWithTruth();
    }

    void theMapIsPaintedInBothStyles()
    {
        m_memory->setInstant(1500);
        settle();
        const QImage light = m_view->grab().toImage();
        QPalette dark = m_view->palette();
        dark.setColor(QPalette::Window, QColor(30, 30, 30));
        dark.setColor(QPalette::Base, QColor(20, 20, 20));
        dark.setColor(QPalette::WindowText, Qt::white);
        dark.setColor(QPalette::Text, Qt::white);
        m_view->setPalette(dark);
        QVERIFY(m_view->grab().toImage() != light);
    }

    void withoutASnapshotItSaysSo()
    {
        m_memory->setSnapshots({});
        m_view->refreshNow();
        QVERIFY(!m_view->model()->state());
        const auto *notice = m_view->findChild<EmptyNotice *>();
        QVERIFY(notice->isVisible());
        QCOMPARE(notice->text(), QStringLiteral("No memory snapshot is open."));
        m_view->grab();
    }
};

RIFFLE_WIDGET_TEST(AllocatorViewTest)
#include "allocator_view_test.moc"
