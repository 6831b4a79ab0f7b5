// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/model/analysis/findings/kineto_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace riffle::test {

/// Simulates a thread and the streams that it feeds, action by action: each action starts when the last of what it
/// waits for has ended. To shorten an action and run again shows whether it was on the critical path, independently of
/// the algorithm under test.
class SimulatedRun {
public:
    static constexpr Ns kLatency = 2'000; ///< from the end of what device work waits for to its start
    static constexpr Ns kReturn = 1'000;  ///< from the end of what a call waits for to its return

    struct Action {
        enum Kind { Compute, Idle, Launch, StreamWait, SyncStream, SyncDevice } kind = Compute;
        Ns host = 0;   ///< the time of the thread, without waiting
        Ns device = 0; ///< the time of the launched work
        int stream = 7, other = 7;
    };
    struct Ran {
        Ns hostStart = 0, deviceStart = -1;
    };
    struct Result {
        std::vector<Ran> ran; ///< parallel to the actions
        Ns end = 0;           ///< the end of everything
        Ns hostEnd = 0;
    };

    std::vector<Action> actions;

    Result run(KinetoText *out = nullptr) const
    {
        Result result;
        std::map<int, Ns> streamEnd,
            waitedFor; // waitedFor: what the next work of a stream waits for besides its stream
        Ns now = kBegin, deviceEnd = kBegin;
        int64_t event = 1'000'000;
        for (size_t at = 0; at < actions.size(); ++at) {
            const Action &action = actions[at];
            Ran ran{now};
            switch (action.kind) {
            case Action::Compute:
                if (out)
                    out->operation("op_" + std::to_string(at), now, action.host);
                now += action.host;
                break;
            case Action::Idle: now += action.host; break;
            case Action::Launch: {
                Ns ready = now;
                if (streamEnd.contains(action.stream))
                    ready = std::max(ready, streamEnd[action.stream]);
                if (waitedFor.contains(action.stream))
                    ready = std::max(ready, waitedFor[action.stream]);
                waitedFor.erase(action.stream);
                ran.deviceStart = ready + kLatency;
                if (out)
                    out->kernel("kernel_" + std::to_string(at), action.stream, ran.deviceStart, action.device, now,
                                action.host);
                streamEnd[action.stream] = ran.deviceStart + action.device;
                deviceEnd = std::max(deviceEnd, streamEnd[action.stream]);
                now += action.host;
                break;
            }
            case Action::StreamWait: {
                const int64_t recorded = ++event, wait = ++event;
                if (out) {
                    out->call("cudaEventRecord", now, 400, recorded);
                    out->call("cudaStreamWaitEvent", now + 400, 400, wait);
                    out->slice(
                        "cuda_sync", "Stream Wait Event", 0, action.stream, now + 400, 1,
                        fmt::format(
                            R"("cuda_sync_kind":"Stream Wait Event","stream":{},"correlation":{},"wait_on_stream":{},"wait_on_cuda_event_record_corr_id":{},"wait_on_cuda_event_id":1)",
                            action.stream, wait, action.other, recorded));
                }
                if (streamEnd.contains(action.other) && action.other != action.stream)
                    waitedFor[action.stream] = std::max(waitedFor[action.stream], streamEnd[action.other]);
                now += 800;
                break;
            }
            case Action::SyncStream:
            case Action::SyncDevice: {
                const bool all = action.kind == Action::SyncDevice;
                Ns done = now;
                for (const auto &[stream, end] : streamEnd)
                    if (all || stream == action.stream)
                        done = std::max(done, end);
                const Ns end = done + kReturn;
                if (out) {
                    const int64_t correlation = ++event;
                    out->call(all ? "cudaDeviceSynchronize" : "cudaStreamSynchronize", now, end - now, correlation);
                    out->slice("cuda_sync", all ? "Context Sync" : "Stream Sync", 0, all ? -1 : action.stream, now,
                               end - now,
                               fmt::format(R"("cuda_sync_kind":"{}","stream":{},"correlation":{},"wait_on_stream":{})",
                                           all ? "Context Sync" : "Stream Sync", all ? -1 : action.stream, correlation,
                                           all ? -1 : action.stream));
                }
                now = end;
                break;
            }
            }
            result.ran.push_back(ran);
        }
        result.hostEnd = now;
        result.end = std::max(now, deviceEnd);
        if (out)
            out->step(0, kBegin, now - kBegin);
        return result;
    }
    static constexpr Ns kBegin = 1'000'000;
};

} // namespace riffle::test
