// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recorded_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace riffle::test {

using wire::ChunkType;
using wire::Field;

namespace {

/// The rows of a chunk that has not been written yet.
class WaitingRows {
public:
    WaitingRows(ChunkType type, std::vector<Field> fields)
        : m_type(type)
        , m_fields(std::move(fields))
        , m_columns(m_fields.size())
    {
    }
    void add(int64_t begin, int64_t end, const std::vector<int64_t> &values)
    {
        m_begin = m_columns[0].empty() ? begin : std::min(m_begin, begin);
        m_end = m_columns[0].empty() ? end : std::max(m_end, end);
        for (size_t at = 0; at < m_fields.size(); ++at)
            m_columns[at].push_back(values[at]);
    }
    void write(LogFileText &file)
    {
        if (m_columns[0].empty())
            return;
        LogChunkText chunk(m_type);
        chunk.compressed(m_columns[0].size() % 2).times(m_begin, m_end);
        for (size_t at = 0; at < m_fields.size(); ++at) {
            chunk.delta(m_fields[at], m_columns[at]);
            m_columns[at].clear();
        }
        file.add(chunk);
    }

private:
    ChunkType m_type;
    std::vector<Field> m_fields;
    std::vector<std::vector<int64_t>> m_columns;
    int64_t m_begin = 0, m_end = 0;
};

class RecordedRun {
public:
    RecordedRun(const LogFolder &folder, uint32_t seed, Calls calls) : m_folder(folder), m_random(seed), m_calls(calls)
    {
        folder.write(
            wire::kStepsFile,
            LogFileText(0)
                .add(LogChunkText(ChunkType::StepSummaries).delta(Field::Id, {1, 2}).delta(Field::Start, {100, 200}))
                .bytes());
        beginFile();
    }
    void write(uint32_t times)
    {
        const uint32_t flushes = times * (20 + one(20));
        for (m_flush = 0; m_flush < flushes; ++m_flush) {
            act(1 + one(40));
            if (one(3) == 0)
                m_ranges.write(*m_file); // the recorder's memory for rows was full
            const int64_t time = m_now;
            act(one(5)); // while the rings are emptied
            flush(time);
            const bool isLast = m_flush + 1 == flushes; // then what is open may be in the file before the last
            if (one(isLast ? 2 : 5) == 0) {
                endFile();
                beginFile();
            }
        }
        if (one(2))
            m_file->end();
        endFile();
    }

private:
    struct Range {
        int64_t start;
        std::string name, category;
    };
    struct Launch {
        int64_t thread, start, duration, correlation, kernelStart, kernelDuration;
        uint32_t kernelFlush, idFlush;
        bool isHeldBack, hasId, isCallWritten = false, isKernelWritten = false, isIdWritten = false;
    };

    uint32_t one(uint32_t of) { return static_cast<uint32_t>(m_random() % of); }
    int64_t pass() { return m_now += 1 + one(1'000); }

    void beginFile()
    {
        m_file.emplace(++m_sequence);
        m_file->process({{"executable", "/usr/bin/python3"}, {"rank", "3"}, {"world_size", "8"}});
        for (size_t thread = 0; thread < m_names.size(); ++thread)
            m_file->thread(static_cast<int64_t>(thread), 100 + static_cast<int64_t>(thread), m_names[thread]);
        m_file->clocks(m_now, 1'700'000'000'000'000'000 + m_now);
        listGaps();
        m_openGaps.write(*m_file);
        m_frames = 0;
    }
    void endFile() { m_folder.write(fmt::format("{:06}.part", m_sequence), m_file->bytes()); }

    void act(uint32_t times)
    {
        for (uint32_t at = 0; at < times; ++at) {
            const auto thread = static_cast<int64_t>(one(static_cast<uint32_t>(m_stacks.size())));
            std::vector<Range> &stack = m_stacks[static_cast<size_t>(thread)];
            switch (one(12)) {
            case 0:
            case 1:
            case 2:
                if (one(8) > 0)
                    pass(); // otherwise it starts with the one before it
                stack.push_back({m_now, fmt::format("range {}", one(30)), one(2) ? "cpu_op" : "user_annotation"});
                break;
            case 3:
            case 4:
            case 5:
                if (!stack.empty())
                    endRange(thread, stack);
                break;
            case 6:
            case 7: launch(thread); break;
            case 8:
                m_marks.add(m_now, m_now, {thread, pass(), m_file->id("mark"), m_file->id("user_annotation")});
                break;
            case 9: m_allocations.add(m_now, m_now, {thread, pass(), 4'096, one(2) ? 512 : -512, 0}); break;
            case 10: rename(thread); break;
            case 11: changeGap(); break;
            default: break;
            }
        }
    }
    void endRange(int64_t thread, std::vector<Range> &stack)
    {
        const Range range = stack.back();
        stack.pop_back();
        const int64_t end = pass();
        m_ranges.add(range.start, end,
                     {thread, range.start, end - range.start, m_file->id(range.name + (one(9) ? "" : " (ended)")),
                      m_file->id(range.category), one(m_frames + 1)});
    }
    void launch(int64_t thread)
    {
        Launch launch{};
        launch.thread = thread;
        launch.start = pass();
        launch.duration = pass() - launch.start;
        launch.correlation = ++m_correlation;
        launch.kernelStart = m_now + one(5'000);
        launch.kernelDuration = 1 + one(one(10) ? 2'000 : 200'000);
        launch.kernelFlush = m_flush + one(4);
        launch.hasId = one(2);
        launch.idFlush = m_flush + one(3);
        launch.isHeldBack = m_calls == Calls::HeldBack && one(4) == 0;
        m_launches.push_back(launch);
    }
    void rename(int64_t thread)
    {
        const std::string name = fmt::format("name {}", one(100));
        if (one(3) == 0 && m_names.size() < 6) {
            thread = static_cast<int64_t>(m_names.size());
            m_names.push_back(name);
            m_stacks.emplace_back();
        }
        m_names[static_cast<size_t>(thread)] = name;
        m_file->thread(thread, 100 + thread, name);
    }
    void changeGap()
    {
        if (m_gap) {
            const int64_t end = pass();
            m_gaps.add(*m_gap, end,
                       {wire::kAbsent, m_file->id(wire::kCudaSource), m_file->id("yielded"), *m_gap, end - *m_gap});
            m_gap.reset();
        } else {
            m_gap = pass();
        }
        m_gapsChanged = true;
    }
    void listGaps()
    {
        if (m_gap)
            m_openGaps.add(*m_gap, m_now,
                           {wire::kAbsent, m_file->id(wire::kCudaSource), m_file->id("yielded"), *m_gap});
        m_gapsChanged = false;
    }

    void flush(int64_t time)
    {
        if (m_gapsChanged)
            listGaps();
        if (one(3) == 0) {
            m_frameRows.add(0, 0, {++m_frames, one(m_frames), m_file->id("run"), m_file->id("/home/me/run.py"), 1, 7});
            m_frameRows.write(*m_file);
        }
        m_file->clocks(time, 1'700'000'000'000'000'000 + time);
        const int64_t cuda = takeLaunches(time);
        if (one(6) == 0)
            m_losses.add(time - 50, time, {m_file->id("ring"), 3, time - 50, 50});
        for (size_t thread = 0; thread < m_stacks.size(); ++thread)
            for (const Range &range : m_stacks[thread])
                m_openRanges.add(
                    range.start, range.start,
                    {static_cast<int64_t>(thread), range.start, m_file->id(range.name), m_file->id(range.category), 0});
        m_settled.add(time, time, {m_file->id(wire::kThreadSource), time});
        m_settled.add(cuda, cuda, {m_file->id(wire::kCudaSource), cuda});
        for (WaitingRows *rows : {&m_ranges, &m_marks, &m_kernels, &m_callRows, &m_ids, &m_allocations, &m_losses,
                                  &m_openRanges, &m_gaps, &m_openGaps, &m_settled})
            rows->write(*m_file);
    }
    /// Adds what is known of launches now; returns up to when CUDA is settled.
    int64_t takeLaunches(int64_t time)
    {
        int64_t settled = time;
        for (Launch &launch : m_launches) {
            const int64_t end = launch.start + launch.duration, kernelEnd = launch.kernelStart + launch.kernelDuration;
            if (!launch.isKernelWritten && launch.kernelFlush <= m_flush && kernelEnd <= m_now) {
                launch.isKernelWritten = true;
                m_kernels.add(launch.kernelStart, kernelEnd,
                              {launch.kernelStart, launch.kernelDuration, m_file->id("kernel"), 0, 1,
                               7 + launch.correlation % 2, launch.correlation});
            }
            if (!launch.isCallWritten && (launch.isKernelWritten || !launch.isHeldBack)) {
                launch.isCallWritten = true;
                m_callRows.add(launch.start, end,
                               {launch.thread, launch.start, launch.duration, m_file->id("cudaLaunchKernel"),
                                m_file->id("cuda_runtime"), launch.correlation});
            }
            if (launch.hasId && !launch.isIdWritten && launch.idFlush <= m_flush) {
                launch.isIdWritten = true;
                m_ids.add(0, 0, {launch.correlation, 1'000 + launch.correlation});
            }
            if (launch.isCallWritten && !launch.isKernelWritten)
                settled = std::min(settled, launch.start);
        }
        std::erase_if(m_launches, [](const Launch &launch) {
            return launch.isCallWritten && launch.isKernelWritten && (launch.isIdWritten || !launch.hasId);
        });
        return settled;
    }

    const LogFolder &m_folder;
    std::mt19937 m_random;
    const Calls m_calls;
    std::optional<LogFileText> m_file;
    uint32_t m_sequence = 0, m_flush = 0, m_frames = 0;
    int64_t m_now = 1'000'000'000, m_correlation = 0;
    std::vector<std::string> m_names{"main", "loader"};
    std::vector<std::vector<Range>> m_stacks{2};
    std::vector<Launch> m_launches;
    std::optional<int64_t> m_gap; ///< its start
    bool m_gapsChanged = false;
    WaitingRows m_ranges{ChunkType::Ranges,
                         {Field::Thread, Field::Start, Field::Duration, Field::Name, Field::Category, Field::Stack}};
    WaitingRows m_marks{ChunkType::Marks, {Field::Thread, Field::Time, Field::Name, Field::Category}};
    WaitingRows m_kernels{
        ChunkType::Kernels,
        {Field::Start, Field::Duration, Field::Name, Field::Device, Field::Context, Field::Stream, Field::Correlation}};
    WaitingRows m_callRows{
        ChunkType::Calls,
        {Field::Thread, Field::Start, Field::Duration, Field::Name, Field::Category, Field::Correlation}};
    WaitingRows m_ids{ChunkType::Externals, {Field::Correlation, Field::ExternalId}};
    WaitingRows m_allocations{ChunkType::Allocations,
                              {Field::Thread, Field::Time, Field::Address, Field::Bytes, Field::Device}};
    WaitingRows m_losses{ChunkType::Loss, {Field::Category, Field::Count, Field::Start, Field::Duration}};
    WaitingRows m_openRanges{ChunkType::OpenRanges,
                             {Field::Thread, Field::Start, Field::Name, Field::Category, Field::Stack}};
    WaitingRows m_gaps{ChunkType::Gaps, {Field::Thread, Field::Category, Field::Name, Field::Start, Field::Duration}};
    WaitingRows m_openGaps{ChunkType::OpenGaps, {Field::Thread, Field::Category, Field::Name, Field::Start}};
    WaitingRows m_settled{ChunkType::Settled, {Field::Category, Field::Time}};
    WaitingRows m_frameRows{ChunkType::PythonFrames,
                            {Field::Id, Field::Parent, Field::Name, Field::File, Field::FirstLine, Field::Line}};
};

} // namespace

void writeRecordedLog(const LogFolder &folder, uint32_t seed, Calls calls, uint32_t times)
{
    RecordedRun(folder, seed, calls).write(times);
}

} // namespace riffle::test
