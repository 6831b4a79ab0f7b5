// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for libphi_core.so, which contains Paddle's class of events and also uses it.
#include "tests/collector/stub_phi.h"

#include <atomic>

namespace {
std::atomic<int> calls{0};
}

namespace phi {

RecordEvent::RecordEvent(const char *, TracerEventType, uint32_t, EventRole) { ++calls; }
RecordEvent::RecordEvent(const std::string &, TracerEventType, uint32_t, EventRole) { ++calls; }
void RecordEvent::End() { ++calls; }

} // namespace phi

extern "C" {

/// The number of calls that have reached the class.
int stub_phi_calls() { return calls; }

void stub_phi_event(const char *name, int type)
{
    const phi::RecordEvent event(name, static_cast<phi::TracerEventType>(type), 1, phi::EventRole::Ordinary);
}
}
