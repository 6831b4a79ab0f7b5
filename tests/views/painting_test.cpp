// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Compares the lanes with a painter that draws every slice: the pixels, and the slice that a click selects.

#include "model/ingest/importer.h"
#include "tests/model/layout/random_trace.h"
#include "tests/model/layout/slow_row.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/palette.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/timeline_state.h"
#include "views/timeline/timeline_view.h"

#include <QDirIterator>
#include <QtTest>

using namespace riffle;

namespace {

constexpr int kViews = 100;
constexpr int kRealTraces = 3;
constexpr int kClicks = 10; ///< per view

/// The largest files that look like traces and open quickly, one per folder first.
QStringList realTraces(const QString &folder)
{
    QFileInfoList found;
    QDirIterator files(folder, {QStringLiteral("*.json"), QStringLiteral("*.json.gz")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QFileInfo info(files.next());
        if (info.size() < 8 << 20 && info.filePath().contains(QLatin1String("kineto")))
            found += info;
    }
    std::sort(found.begin(), found.end(), [](const QFileInfo &a, const QFileInfo &b) {
        return std::pair(b.size(), a.filePath()) < std::pair(a.size(), b.filePath());
    });
    QStringList paths;
    for (const QFileInfo &info : found)
        paths += info.filePath();
    return paths;
}

} // namespace

class PaintingTest : public QObject {
    Q_OBJECT

private slots:
    void aGeneratedTraceIsPaintedAsASlowPainterWould() { compare(test::randomTrace(5, 300), kViews, 21); }

    void realTracesArePaintedAsASlowPainterWould()
    {
        const QString folder = qEnvironmentVariable("RIFFLE_TRACES", QStringLiteral("../shared/traces"));
        int compared = 0;
        for (const QString &path : realTraces(folder)) {
            if (compared == kRealTraces)
                break;
            const auto trace = importTrace(path.toStdString(), {}, {});
            if (!trace || (*trace)->sliceCount() < 1000)
                continue;
            compare(*trace, kViews, 31 + static_cast<uint32_t>(compared));
            if (QTest::currentTestFailed()) {
                qWarning("in %s", qUtf8Printable(path));
                return;
            }
            ++compared;
        }
        if (compared == 0)
            QSKIP("NO REAL TRACES: set RIFFLE_TRACES. Nothing was compared.");
        QCOMPARE(compared, kRealTraces);
    }

private:
    void compare(const std::shared_ptr<const Trace> &trace, int views, uint32_t seed)
    {
        Session session;
        TimelineView view(session.pane());
        session.setTraces(test::setOf(trace));
        view.resize(900, 640);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.finishJobs();
        std::mt19937_64 random(seed);
        const auto upTo = [&random](int limit) {
            return static_cast<int>(random() % static_cast<uint64_t>(std::max(limit, 1)));
        };
        size_t clicks = 0;
        for (int number = 0; number < views; ++number) {
            session.select({});
            session.pane()->setHover({}, std::nullopt);
            view.showAllFrames(number % 2 == 1);
            session.pane()->setVisibleRange(test::randomRange(random, trace->span));
            for (const LaneWindow::Part part : {LaneWindow::Part::Device, LaneWindow::Part::Main})
                view.state().setScroll(part, upTo(view.state().viewport().maximumScroll(part) + 1));
            compareView(view, *trace, random, clicks);
            if (QTest::currentTestFailed()) {
                qWarning("view %d: %lld to %lld", number, static_cast<long long>(session.pane()->visibleRange().begin),
                         static_cast<long long>(session.pane()->visibleRange().end));
                return;
            }
        }
        QVERIFY(clicks > static_cast<size_t>(views));
    }

    void compareView(TimelineView &view, const Trace &trace, std::mt19937_64 &random, size_t &clicks)
    {
        LanesCanvas &canvas = view.canvas();
        Session &session = *view.state().session();
        const QImage image = canvas.grab().toImage().convertToFormat(QImage::Format_RGB32);
        const Palette &palette = Palette::fitting(view.palette());
        const TimeSpan range = session.pane()->visibleRange();
        const int width = canvas.width();
        QCOMPARE(image.width(), width);
        struct Spot {
            QPoint at;
            const LaneItem *item;
            uint32_t row;
        };
        std::vector<Spot> spots;
        for (const LaneItem &item : view.state().layout().items()) {
            if (item.kind != LaneItem::Kind::Slices || item.rowHeight < 8)
                continue;
            for (uint32_t row = 0; row < item.rows; ++row) {
                // The lowest line of a row's body, which names, dashes and arrows of instants do not reach.
                const LaneWindow &window = view.state().viewport().of(item);
                const int y =
                    item.y + window.offset() + LaneLayout::kPadding + static_cast<int>(row + 1) * item.rowHeight - 2;
                if (!window.contains(y))
                    continue;
                const test::SlowRow slow = item.squeezed
                                               ? test::SlowRow(*item.squeezed, row, range, width)
                                               : test::SlowRow(trace, trace.lanes[item.lane.value], row, range, width);
                for (int x = 0; x < width; ++x) {
                    const QRgb pixel = image.pixel(x, y);
                    const bool painted = pixel != palette.canvas && pixel != palette.gridLine;
                    const bool wanted = slow.longest[static_cast<size_t>(x)] >= 0;
                    QVERIFY2(painted == wanted,
                             qPrintable(QStringLiteral("lane %1, row %2, column %3 is %4 but %5")
                                            .arg(QString::fromStdString(item.title))
                                            .arg(row)
                                            .arg(x)
                                            .arg(painted ? QStringLiteral("painted") : QStringLiteral("empty"),
                                                 wanted ? QStringLiteral("contains a slice")
                                                        : QStringLiteral("contains no slice"))));
                    if (wanted)
                        spots.push_back({{x, y}, &item, row});
                }
            }
        }
        for (int i = 0; i < kClicks && !spots.empty(); ++i) {
            const Spot &spot = spots[random() % spots.size()];
            QTest::mouseClick(&canvas, Qt::LeftButton, {}, spot.at);
            const auto slice = trace.slice(session.selected().slice);
            QVERIFY2(slice, "a click on a painted pixel selects nothing");
            QCOMPARE(slice->lane, spot.item->lane);
            QCOMPARE(rowInStrip(*spot.item, *trace.segmentOf(slice->id), slice->id), std::optional(spot.row));
            const auto [first, last] = test::columnsOf(slice->data.start, slice->data.duration, range, width);
            QVERIFY2(first <= spot.at.x() && spot.at.x() <= last,
                     "a click selects a slice that does not cover the pixel");
            ++clicks;
        }
    }
};

RIFFLE_WIDGET_TEST(PaintingTest)
#include "painting_test.moc"
