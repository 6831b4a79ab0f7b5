// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/measured_child.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace riffle::bench {

namespace {

struct MemoryKinds {
    uint64_t anonymous = 0, dirty = 0; ///< bytes
};

MemoryKinds memoryKinds()
{
    MemoryKinds kinds;
    std::FILE *file = std::fopen("/proc/self/smaps_rollup", "r");
    if (!file)
        return kinds;
    uint64_t value = 0;
    char line[256], key[64];
    while (std::fgets(line, sizeof line, file)) {
        if (std::sscanf(line, "%63[^:]: %lu kB", key, &value) != 2)
            continue;
        if (!std::strcmp(key, "Anonymous"))
            kinds.anonymous = value * 1024;
        else if (!std::strcmp(key, "Shared_Dirty") || !std::strcmp(key, "Private_Dirty"))
            kinds.dirty += value * 1024;
    }
    std::fclose(file);
    return kinds;
}

} // namespace

uint64_t heldMemory()
{
    const MemoryKinds kinds = memoryKinds();
    return std::max(kinds.anonymous, kinds.dirty); // anonymous pages are dirty as well
}

uint64_t anonymousMemory() { return memoryKinds().anonymous; }

std::optional<Measured> measureInChild(const std::function<Measured()> &body, Watch watch)
{
    int ends[2];
    if (pipe(ends) != 0)
        return std::nullopt;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        const uint64_t before = heldMemory(); // pages that are shared with the parent
        std::atomic<bool> over{watch == Watch::Time};
        std::atomic<uint64_t> peak{0};
        std::thread sampler([&] {
            while (!over) {
                peak = std::max(peak.load(), heldMemory());
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            }
        });
        Measured measured = body();
        over = true;
        sampler.join();
        measured.peakBytes = std::max(peak.load(), measured.endBytes);
        measured.peakBytes -= std::min(before, measured.peakBytes);
        measured.endBytes -= std::min(before, measured.endBytes);
        const bool written = write(ends[1], &measured, sizeof measured) == sizeof measured;
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    Measured measured;
    const bool whole = child > 0 && read(ends[0], &measured, sizeof measured) == sizeof measured;
    close(ends[0]);
    int status = 0;
    if (child > 0)
        waitpid(child, &status, 0);
    return whole ? std::optional(measured) : std::nullopt;
}

} // namespace riffle::bench
