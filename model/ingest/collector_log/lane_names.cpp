// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/lane_names.h"

namespace riffle {

void addLaneNames(const LogFacts &facts, int64_t pid, const std::set<std::pair<int64_t, int64_t>> &streams,
                  uint64_t endAddress, TraceWriter &into)
{
    using Kind = MetadataRow::Kind;
    uint64_t names = 0;
    const auto name = [&](Kind kind, int64_t process, int64_t thread, const std::string &text) {
        MetadataRow row;
        row.kind = kind;
        row.pid = {process, RawId::Kind::Signed};
        row.tid = {thread, RawId::Kind::Signed};
        row.sourceOffset = names++;
        row.text = into.intern(text, endAddress + row.sourceOffset);
        into.metadata(row);
    };
    const std::string program = facts.programName();
    name(Kind::ProcessName, pid, 0, program);
    name(Kind::ProcessLabels, pid, 0, "CPU");
    std::set<int64_t> devices;
    for (const auto &[device, stream] : streams)
        devices.insert(device);
    for (const int64_t device : devices) {
        if (device != pid)
            name(Kind::ProcessName, device, 0, program);
        name(Kind::ProcessLabels, device, 0, "GPU " + std::to_string(device));
    }
    for (const auto &[thread, title] : facts.threadTitles())
        name(Kind::ThreadName, pid, thread, title);
}

} // namespace riffle
