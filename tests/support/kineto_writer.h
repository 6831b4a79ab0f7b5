// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/byte_sink.h"
#include "tests/support/op_catalogue.h"
#include "tests/support/trace_generator.h"
#include "tests/support/training_run.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace riffle::test {

/// Prints simulated records byte for byte in the layout of torch.profiler's trace writer, and counts them.
class KinetoWriter {
public:
    KinetoWriter(const TraceOptions &options, const OpCatalogue &catalogue, ByteSink &sink);

    void header();
    /// Operators, annotations and memory events.
    void hostRecord(const Record &record);
    void pythonRecord(const Record &record);
    /// GPU activity and the calls that launched it.
    void gpuRecord(const Record &record);
    void footer(std::int64_t begin, std::int64_t end);

    const TraceCounts &counts() const { return m_counts; }

private:
    struct Track {
        std::string inSlice; ///< the text from the end of the name to the time
        std::string inFlow;
    };

    void slice(std::string_view category, const Record &record, const Track &track);
    void flow(char phase, std::string_view category, std::int64_t id, std::int64_t time, const Track &track);
    void op(const Record &record);
    void memory(const Record &record);
    void collectiveArguments(std::int64_t elements);
    void metadata(std::string_view name, std::string_view pid, std::string_view tid, std::string_view argument,
                  std::string_view value, std::int64_t time);
    const Track &host(const Record &record) const { return m_host[record.onAutogradThread ? 1 : 0]; }

    const TraceOptions &m_options;
    const OpCatalogue &m_catalogue;
    ByteSink &m_sink;
    std::array<Track, 2> m_host;
    Track m_compute;
    Track m_nccl;
    std::string m_ranks;
    std::string m_groupText;
    std::int64_t m_evIdx = 0;
    TraceCounts m_counts;
};

} // namespace riffle::test
