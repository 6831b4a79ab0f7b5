// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/flight/nccl_inspector_log.h"

namespace riffle {

uint64_t NcclInspectorLog::dropped() const
{
    uint64_t sum = 0;
    for (const InspectorCommunicator &one : communicators)
        sum += one.droppedCollectives + one.droppedP2p + one.droppedProxy;
    return sum;
}

} // namespace riffle
