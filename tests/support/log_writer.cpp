// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/log_writer.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <xxhash.h>
#include <zstd.h>

namespace riffle::test {

using wire::ChunkType;
using wire::Encoding;
using wire::Field;

namespace {

void putVarint(std::string &out, uint64_t value)
{
    for (; value > 0x7F; value >>= 7)
        out += static_cast<char>((value & 0x7F) | 0x80);
    out += static_cast<char>(value);
}

uint64_t zigzag(uint64_t value) { return (value << 1) ^ (value >> 63 ? UINT64_MAX : 0); }

template <typename T>
void putRecord(std::string &out, const T &record)
{
    out.append(reinterpret_cast<const char *>(&record), sizeof record);
}

} // namespace

void LogChunkText::column(Field field, Encoding encoding, std::string_view bytes, size_t rows)
{
    putRecord(m_payload, wire::ColumnHeader{field, encoding, 0, static_cast<uint32_t>(bytes.size())});
    m_payload += bytes;
    m_rows = static_cast<uint32_t>(rows);
    ++m_columns;
}

LogChunkText &LogChunkText::delta(Field field, const std::vector<int64_t> &values)
{
    std::string bytes;
    uint64_t before = 0;
    for (const int64_t value : values) {
        putVarint(bytes, zigzag(static_cast<uint64_t>(value) - before));
        before = static_cast<uint64_t>(value);
    }
    column(field, Encoding::Delta, bytes, values.size());
    return *this;
}

LogChunkText &LogChunkText::plain(Field field, const std::vector<int64_t> &values)
{
    std::string bytes;
    for (const int64_t value : values)
        putVarint(bytes, zigzag(static_cast<uint64_t>(value)));
    column(field, Encoding::Plain, bytes, values.size());
    return *this;
}

LogChunkText &LogChunkText::doubles(Field field, const std::vector<double> &values)
{
    column(field, Encoding::Doubles, {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(double)},
           values.size());
    return *this;
}

LogChunkText &LogChunkText::texts(const std::vector<std::string> &values)
{
    std::vector<int64_t> lengths;
    std::string all;
    for (const std::string &value : values) {
        lengths.push_back(static_cast<int64_t>(value.size()));
        all += value;
    }
    plain(Field::Bytes, lengths);
    column(Field::Text, Encoding::Texts, all, values.size());
    return *this;
}

LogChunkText &LogChunkText::raw(Field field, uint8_t encoding, std::string_view bytes, uint32_t rows)
{
    column(field, static_cast<Encoding>(encoding), bytes, rows);
    return *this;
}

LogChunkText &LogChunkText::times(int64_t begin, int64_t end)
{
    m_begin = begin;
    m_end = end;
    return *this;
}

std::string LogChunkText::bytes() const
{
    std::string stored = m_payload;
    if (m_compressed) {
        stored.resize(ZSTD_compressBound(m_payload.size()));
        stored.resize(ZSTD_compress(stored.data(), stored.size(), m_payload.data(), m_payload.size(), 1));
    }
    wire::ChunkHeader header{};
    header.magic = wire::kChunkMagic;
    header.type = m_type;
    header.flags = m_compressed ? wire::kZstd : 0;
    header.rawBytes = m_claimedRaw != UINT32_MAX ? m_claimedRaw : static_cast<uint32_t>(m_payload.size());
    header.storedBytes = static_cast<uint32_t>(stored.size());
    header.rows = m_rows;
    header.columns = m_columns;
    header.timeBegin = m_begin;
    header.timeEnd = m_end;
    header.checksum = XXH3_64bits_withSeed(&header, sizeof header, XXH3_64bits(stored.data(), stored.size()));
    std::string out;
    putRecord(out, header);
    return out + stored;
}

LogFileText::LogFileText(uint32_t sequence, uint8_t session, uint32_t pid)
{
    wire::FileHeader header{};
    std::memcpy(header.magic, wire::kMagic, sizeof header.magic);
    header.version = wire::kVersion;
    header.headerBytes = sizeof header;
    std::memset(header.session, session, sizeof header.session);
    header.sequence = sequence;
    header.pid = pid;
    header.monotonicNs = 1'000'000;
    header.checksum = XXH3_64bits(&header, sizeof header);
    putRecord(m_bytes, header);
}

int64_t LogFileText::id(const std::string &text)
{
    if (text.empty())
        return 0;
    const auto [found, added] = m_ids.try_emplace(text, static_cast<int64_t>(m_ids.size()) + 1);
    if (added)
        add(LogChunkText(ChunkType::Strings).delta(Field::Id, {found->second}).texts({text}));
    return found->second;
}

std::vector<int64_t> LogFileText::ids(const std::vector<std::string> &texts)
{
    std::vector<int64_t> all;
    for (const std::string &text : texts)
        all.push_back(id(text));
    return all;
}

LogFileText &LogFileText::thread(int64_t index, int64_t osThread, const std::string &name)
{
    const int64_t text = id(name);
    return add(LogChunkText(ChunkType::Threads)
                   .delta(Field::Thread, {index})
                   .plain(Field::OsThread, {osThread})
                   .delta(Field::Name, {text}));
}

LogFileText &LogFileText::process(const std::map<std::string, std::string> &facts)
{
    std::vector<int64_t> keys, values;
    for (const auto &[key, value] : facts) {
        keys.push_back(id(key));
        values.push_back(id(value));
    }
    return add(LogChunkText(ChunkType::Process).delta(Field::Key, keys).delta(Field::Value, values));
}

LogFileText &LogFileText::clocks(int64_t time, int64_t realtime)
{
    return add(LogChunkText(ChunkType::Clocks)
                   .delta(Field::Time, {time})
                   .delta(Field::Realtime, {realtime})
                   .delta(Field::Boottime, {time}));
}

LogFolder::LogFolder()
{
    std::string name = (std::filesystem::temp_directory_path() / "riffle_log_XXXXXX").string();
    if (!mkdtemp(name.data()))
        std::abort();
    m_path = name + "/host_7.rifflelog";
    std::filesystem::create_directory(m_path);
}

LogFolder::~LogFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(std::filesystem::path(m_path).parent_path(), ignored);
}

std::string LogFolder::write(const std::string &name, std::string_view bytes) const
{
    const std::string path = m_path + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

LogFileText everythingLog(bool compressed)
{
    LogFileText log;
    const auto chunk = [&](ChunkType type) { return LogChunkText(type).compressed(compressed); };
    constexpr int64_t kNone = wire::kAbsent;
    log.process({{"executable", "/usr/bin/python3"}, {"rank", "3"}, {"world_size", "8"}, {"host", "node\"7\""}});
    log.clocks(1'000'000, 1'700'000'000'001'000'000).thread(0, 100, "main").thread(1, 101, "");
    const int64_t mm = log.id("aten::mm"), add = log.id("aten::add"), op = log.id("cpu_op"),
                  shapes = log.id("[[2, 3], [3]]"), types = log.id(R"(["float", "c10::BFloat16"])"),
                  strides = log.id("[[3, 1], [1]]"), concrete = log.id(R"(["", ""])"),
                  collective = log.id("allreduce\nFloat\n1\n\"pair\"\n100\n0\n2\nnone\n\n\n[]\n[50, 50]\n[0, 4]");
    const int64_t step = log.id("ProfilerStep#4"), stepCategory = log.id("step"), nvtx = log.id("nvtx"),
                  load = log.id("load \"x\"\n");
    const int64_t domain = log.id("my domain"), kernel = log.id("gemm<float, 2>"), user = log.id("user_annotation");
    log.add(chunk(ChunkType::Ranges)
                .delta(Field::Thread, {0, 0, 0, 1})
                .delta(Field::Start, {2'000'100, 2'005'000, 2'000'000, 2'000'500})
                .plain(Field::Duration, {1'001, 2'000, 50'000, 70})
                .delta(Field::Name, {mm, add, step, load})
                .delta(Field::Category, {op, op, stepCategory, nvtx})
                .delta(Field::Domain, {0, 0, 0, domain})
                .delta(Field::PayloadKind, {0, 0, 0, wire::kSigned})
                .plain(Field::Payload, {0, 0, 0, -7})
                .plain(Field::Color, {0, 0, 0, 0xFF336699})
                .delta(Field::Sequence, {12, kNone, kNone, kNone})
                .delta(Field::OperatorId, {5, 6, kNone, kNone})
                .delta(Field::Shapes, {shapes, 0, 0, 0})
                .delta(Field::ForwardThread, {1, kNone, kNone, kNone})
                .delta(Field::Types, {types, 0, 0, 0})
                .delta(Field::Strides, {strides, 0, 0, 0})
                .delta(Field::Values, {concrete, 0, 0, 0})
                .delta(Field::Collective, {0, collective, 0, 0})
                .delta(Field::CollectiveSequence, {kNone, 9, kNone, kNone})
                .times(2'000'000, 2'050'000));
    const int64_t marked = log.id("epoch 1"), gpuMemory = log.id("GPU memory"), used = log.id("used");
    log.add(chunk(ChunkType::Marks)
                .delta(Field::Thread, {1})
                .delta(Field::Time, {2'001'000})
                .delta(Field::Name, {marked})
                .delta(Field::Category, {user}));
    log.add(chunk(ChunkType::Counters)
                .delta(Field::Time, {2'000'000, 2'010'000})
                .delta(Field::Name, {gpuMemory, gpuMemory})
                .delta(Field::Series, {used, used})
                .doubles(Field::Number, {1.5, 1e9}));
    const int64_t launch = log.id("cudaLaunchKernel"), async = log.id("cudaMemcpyAsync"),
                  cuLaunch = log.id("cuLaunchKernel");
    const int64_t runtime = log.id("cuda_runtime"), driver = log.id("cuda_driver");
    log.add(chunk(ChunkType::Calls)
                .delta(Field::Thread, {0, 0, 1})
                .delta(Field::Start, {2'000'200, 2'000'900, 2'001'500})
                .plain(Field::Duration, {300, 100, 90})
                .delta(Field::Name, {launch, async, cuLaunch})
                .delta(Field::Category, {runtime, runtime, driver})
                .delta(Field::Correlation, {77, 78, 79})
                .delta(Field::Result, {0, 0, 0}));
    log.add(chunk(ChunkType::Externals).delta(Field::Correlation, {77}).delta(Field::ExternalId, {5}));
    log.add(chunk(ChunkType::Kernels)
                .delta(Field::Start, {2'003'000, 2'006'000})
                .plain(Field::Duration, {2'500, 1'000})
                .delta(Field::Name, {kernel, kernel})
                .delta(Field::Device, {0, 1})
                .delta(Field::Context, {1, 2})
                .delta(Field::Stream, {7, 20})
                .delta(Field::Correlation, {77, 79})
                .plain(Field::GridX, {16, 1})
                .plain(Field::GridY, {2, 1})
                .plain(Field::GridZ, {1, 1})
                .plain(Field::BlockX, {128, 32})
                .plain(Field::BlockY, {1, 1})
                .plain(Field::BlockZ, {1, 1})
                .plain(Field::Registers, {40, 16})
                .plain(Field::SharedMemory, {4096, 0}));
    const int64_t copy = log.id("Memcpy HtoD (Pinned -> Device)"), set = log.id("Memset (Device)");
    log.add(chunk(ChunkType::Copies)
                .delta(Field::Start, {2'006'000, 2'007'000})
                .plain(Field::Duration, {500, 20})
                .delta(Field::Name, {copy, set})
                .delta(Field::Device, {0, 0})
                .delta(Field::Context, {1, 1})
                .delta(Field::Stream, {7, 7})
                .delta(Field::Correlation, {78, kNone})
                .plain(Field::Bytes, {1 << 20, 64}));
    const int64_t wait = log.id("Stream Sync"), flush = log.id("Buffer Flush"),
                  allocator = log.id("CUDACachingAllocator");
    log.add(chunk(ChunkType::Syncs)
                .delta(Field::Start, {2'008'000})
                .plain(Field::Duration, {400})
                .delta(Field::Name, {wait})
                .delta(Field::Device, {0})
                .delta(Field::Context, {1})
                .delta(Field::Stream, {7})
                .delta(Field::Correlation, {80})
                .delta(Field::Event, {9}));
    log.add(chunk(ChunkType::Overheads)
                .delta(Field::Thread, {0})
                .delta(Field::Start, {2'009'000})
                .plain(Field::Duration, {33})
                .delta(Field::Name, {flush}));
    log.add(chunk(ChunkType::Allocations)
                .delta(Field::Thread, {0, 0})
                .delta(Field::Time, {2'000'150, 2'040'000})
                .plain(Field::Address, {0x7F0000001000, 0x7F0000001000})
                .plain(Field::Bytes, {512, -512})
                .delta(Field::Device, {0, 0})
                .delta(Field::Name, {allocator, allocator}));
    const std::vector<int64_t> keys = log.ids({"name", "totalGlobalMem"}),
                               values = log.ids({"NVIDIA H200", "150000000000"});
    log.add(chunk(ChunkType::Devices).delta(Field::Device, {0, 0}).delta(Field::Key, keys).delta(Field::Value, values));
    const int64_t ring = log.id("ring"), recorded = log.id("events");
    log.add(chunk(ChunkType::Loss)
                .delta(Field::Category, {ring})
                .plain(Field::Count, {42})
                .delta(Field::Start, {2'020'000})
                .plain(Field::Duration, {1'000}));
    log.add(chunk(ChunkType::Stats).delta(Field::Key, {recorded}).doubles(Field::Number, {18}));
    return log.end();
}

LogFileText memoryLog()
{
    constexpr int64_t kNone = wire::kAbsent;
    LogFileText log;
    log.clocks(1'000'000, 1'700'000'000'001'000'000);
    log.thread(1, 100, "main");
    const std::vector<int64_t> names = log.ids({"Device", "Pinned", "Device", "Pool destroyed"});
    log.add(LogChunkText(ChunkType::Allocations)
                .delta(Field::Thread, {1, 1, kNone, kNone})
                .delta(Field::Time, {2'000'000, 2'001'000, 2'002'000, 2'003'000})
                .delta(Field::Address, {0x1000, 0x2000, 0x9000, 0xB000})
                .delta(Field::Bytes, {500, 200, -64, 0})
                .delta(Field::Device, {1, kNone, 1, 1})
                .delta(Field::Name, names)
                .delta(Field::Context, {1, 1, 1, kNone})
                .delta(Field::Stream, {kNone, kNone, 7, kNone})
                .delta(Field::Correlation, {3, 4, 5, 6})
                .delta(Field::Pool, {kNone, kNone, 0xB000, 0xB000})
                .delta(Field::Allocated, {564, 200, 500, 500})
                .delta(Field::Reserved, {1524, 200, 1524, 500}));
    const int64_t graph = log.id("CUDA graph 77");
    log.add(LogChunkText(ChunkType::Kernels)
                .delta(Field::Start, {2'004'000})
                .plain(Field::Duration, {1'000})
                .delta(Field::Name, {graph})
                .delta(Field::Device, {1})
                .delta(Field::Context, {1})
                .delta(Field::Stream, {7})
                .delta(Field::Correlation, {8})
                .delta(Field::GridX, {kNone})
                .delta(Field::GridY, {kNone})
                .delta(Field::GridZ, {kNone})
                .delta(Field::BlockX, {kNone})
                .delta(Field::BlockY, {kNone})
                .delta(Field::BlockZ, {kNone})
                .delta(Field::GraphId, {77}));
    return log.end();
}

} // namespace riffle::test
