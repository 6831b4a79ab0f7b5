// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// From an instant that is chosen to the flame or the sunburst of what is alive then, painted, with the table beside it.

#include "tests/support/frame_times.h"
#include "views/common/chart/icicle_chart.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/common/session/session.h"
#include "views/memory/alive/alive_view.h"

#include <QApplication>
#include <QTabWidget>

#include <fmt/format.h>

#include <memory>
#include <random>
#include <string>

namespace riffle::bench {

/// A row for each kind of picture, with its limit. The last is of the instant with the peak.
inline void printInstantPictures(const std::shared_ptr<const SnapshotFacts> &facts, const std::string &name, QSize size)
{
    constexpr int kInstants = 20;
    constexpr double kLimit = 200; // milliseconds
    Session session;
    session.memory()->setSnapshots({facts});
    if (!session.memory()->device())
        return;
    AliveView view(&session);
    view.resize(size);
    view.show();
    const auto settle = [&] {
        view.refreshNow();
        while (!view.settled())
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        QApplication::processEvents(); // paints
    };
    settle();
    const DeviceReplay device = *session.memory()->device();
    for (const auto &[picture, kind] : {std::pair<QWidget *, const char *>(view.icicle(), "flame"),
                                        std::pair<QWidget *, const char *>(view.sunburst(), "sunburst")}) {
        view.pictures()->setCurrentWidget(picture);
        for (const MemoryGrouping by :
             {MemoryGrouping::Stack, MemoryGrouping::Module, MemoryGrouping::Operator, MemoryGrouping::Category}) {
            view.setGrouping(by);
            settle();
            std::mt19937 random(1);
            FrameTimes times;
            for (int at = 0; at < kInstants; ++at)
                times.measure([&] {
                    session.memory()->setInstant(at + 1 < kInstants
                                                     ? device.firstEvent + random() % std::max(1u, device.events)
                                                     : device.peakActiveEvent);
                    settle();
                });
            std::string row = times.row(fmt::format("{} of {}, by {}", kind, name, memoryGroupingWord(by)));
            row.pop_back();
            fmt::print("{}   limit {:.0f} ms{}\n", row, kLimit, times.quantile(1) > kLimit ? "  MISSED" : "");
        }
    }
}

} // namespace riffle::bench
