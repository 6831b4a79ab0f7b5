// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for libpaddle.so, which calls the class of events in libphi_core.so.
#include "tests/collector/stub_phi.h"

#include <thread>
#include <vector>

using phi::EventRole;
using phi::RecordEvent;
using phi::TracerEventType;

extern "C" {

RecordEvent *stub_paddle_begin(const char *name, int type)
{
    return new RecordEvent(name, static_cast<TracerEventType>(type), 1, EventRole::Ordinary);
}
RecordEvent *stub_paddle_begin_string(const char *name, int type)
{
    return new RecordEvent(std::string(name), static_cast<TracerEventType>(type), 1, EventRole::Ordinary);
}
/// Paddle ends an event at the latest when its object goes; an explicit end may come first.
void stub_paddle_end(RecordEvent *event) { event->End(); }
void stub_paddle_delete(RecordEvent *event) { delete event; }

/// Nested events in several threads at the same time.
void stub_paddle_work(int threads, int events)
{
    std::vector<std::thread> workers;
    for (int thread = 0; thread < threads; ++thread)
        workers.emplace_back([events] {
            for (int at = 0; at < events; ++at) {
                const RecordEvent outer("outer", TracerEventType::Operator, 1, EventRole::Ordinary);
                const RecordEvent inner(std::string("inner"), TracerEventType::Operator, 1, EventRole::Ordinary);
            }
        });
    for (std::thread &worker : workers)
        worker.join();
}
}
