// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/memory_lives.h"

#include "model/base/seeded_hash.h"
#include "model/base/stopping.h"
#include "model/trace/memory/reserved_rows.h"
#include "model/trace/trace.h"

#include <cassert>
#include <unordered_map>
#include <utility>

namespace riffle {

namespace {

struct PlaceHash {
    size_t operator()(const std::pair<uint64_t, uint64_t> &place) const
    {
        return hash(place.second ^ hash(place.first));
    }
    SeededHash hash;
};

} // namespace

MemoryLives::MemoryLives(const Trace &trace) : reserved(reservedRows(trace))
{
    const MemoryTable &memory = trace.memory;
    std::unordered_map<std::pair<uint64_t, uint64_t>, uint32_t, PlaceHash> open; // life per device and address
    for (uint32_t row = 0; row < reserved.size(); ++row) {
        throwIfStoppedAt(row);
        if (reserved[row])
            continue;
        const bool frees = memory.bytes[row] < 0;
        const bool placed = memory.address[row] != 0;
        withoutAddress += !placed;
        const std::pair place(uint64_t(uint32_t(memory.deviceType[row])) << 32 | uint32_t(memory.deviceId[row]),
                              memory.address[row]);
        const auto found = placed ? open.find(place) : open.end();
        assert(found == open.end() || found->second < lives.size());
        if (frees && found != open.end()) {
            lives[found->second].released = row;
            open.erase(found);
            continue;
        }
        lives.push_back(frees ? Life{kNone, row} : Life{row, kNone});
        if (frees || !placed)
            continue;
        givenOutAgain += found != open.end();
        open.insert_or_assign(place, static_cast<uint32_t>(lives.size() - 1));
    }
}

} // namespace riffle
