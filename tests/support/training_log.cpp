// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/training_log.h"

#include <fmt/format.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

using wire::ChunkType;
using wire::Field;

namespace {

constexpr int64_t kRows = 12'000; ///< of a chunk, about a quarter of a megabyte

/// The columns of rows that wait to be written, by field.
class Rows {
public:
    Rows(ChunkType type, std::vector<std::pair<Field, bool>> fields)
        : m_type(type)
        , m_fields(std::move(fields))
        , m_columns(m_fields.size())
    {
    }
    void add(const std::vector<int64_t> &values)
    {
        for (size_t at = 0; at < values.size(); ++at)
            m_columns[at].push_back(values[at]);
    }
    void writeTo(LogFileText &file)
    {
        LogChunkText chunk(m_type);
        chunk.compressed(true);
        for (size_t at = 0; at < m_fields.size(); ++at)
            m_fields[at].second ? chunk.delta(m_fields[at].first, m_columns[at])
                                : chunk.plain(m_fields[at].first, m_columns[at]);
        file.add(chunk);
        for (auto &column : m_columns)
            column.clear();
    }

private:
    ChunkType m_type;
    std::vector<std::pair<Field, bool>> m_fields; ///< and whether the field is written as differences
    std::vector<std::vector<int64_t>> m_columns;
};

} // namespace

uint64_t writeTrainingLog(const LogFolder &folder, uint64_t events, uint64_t partBytes)
{
    std::mt19937 random(1);
    Rows ranges(ChunkType::Ranges, {{Field::Thread, true},
                                    {Field::Start, true},
                                    {Field::Duration, false},
                                    {Field::Name, true},
                                    {Field::Category, true},
                                    {Field::Domain, true},
                                    {Field::PayloadKind, true},
                                    {Field::Payload, true},
                                    {Field::Color, true},
                                    {Field::Sequence, true},
                                    {Field::OperatorId, true},
                                    {Field::Shapes, true}});
    Rows calls(ChunkType::Calls, {{Field::Thread, true},
                                  {Field::Start, true},
                                  {Field::Duration, false},
                                  {Field::Name, true},
                                  {Field::Category, true},
                                  {Field::Correlation, true},
                                  {Field::Result, true}});
    Rows kernels(ChunkType::Kernels, {{Field::Start, true},
                                      {Field::Duration, false},
                                      {Field::Name, true},
                                      {Field::Device, true},
                                      {Field::Context, true},
                                      {Field::Stream, true},
                                      {Field::Correlation, true},
                                      {Field::GridX, false},
                                      {Field::GridY, false},
                                      {Field::GridZ, false},
                                      {Field::BlockX, false},
                                      {Field::BlockY, false},
                                      {Field::BlockZ, false},
                                      {Field::Registers, false},
                                      {Field::SharedMemory, false}});
    uint64_t written = 0;
    int64_t time = 1'000'000'000, correlation = 1, sequence = 0;
    for (uint32_t part = 1; written < events; ++part) {
        LogFileText file(part);
        file.thread(0, 100, "python").clocks(1'000'000, 1'700'000'000'000'000'000);
        std::vector<int64_t> operators, names, shapes;
        for (int at = 0; at < 200; ++at) {
            operators.push_back(file.id("aten::operator_" + std::to_string(at)));
            names.push_back(
                file.id("void kernel_" + std::to_string(at) + "<float, 128, at::native::Functor>(int, float*)"));
        }
        for (int at = 0; at < 2'000; ++at)
            shapes.push_back(file.id("[[" + std::to_string(at) + ", 1024], [1024]]"));
        const int64_t launch = file.id("cudaLaunchKernel"), runtime = file.id("cuda_runtime"), op = file.id("cpu_op");
        do { // at least once, because the strings alone may have that size
            for (int64_t row = 0; row < kRows; ++row) {
                const int64_t length = 4'000 + random() % 2'000;
                ranges.add({0, time, length, operators[random() % 200], op, 0, 0, 0, 0, sequence++, sequence,
                            shapes[random() % 2'000]});
                calls.add({0, time + 1'000, 2'000 + int64_t(random() % 500), launch, runtime, correlation, 0});
                kernels.add({time + 20'000, 3'000 + int64_t(random() % 1'000), names[random() % 200], 0, 1, 7,
                             correlation, int64_t(random() % 1'000), 1, 1, 128, 1, 1, 40, 4'096});
                time += length + 500;
                ++correlation;
            }
            ranges.writeTo(file);
            calls.writeTo(file);
            kernels.writeTo(file);
            written += 3 * kRows;
        } while (written < events && file.bytes().size() < partBytes);
        if (written >= events)
            file.end();
        folder.write(fmt::format("{:06}.part", part), file.bytes());
    }
    return written;
}

} // namespace riffle::test
