// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/part_tables.h"

#include "model/base/quoted_text.h"
#include "model/base/utf8.h"
#include "model/ingest/collector_log/json_text.h"
#include "model/trace/sampled_lane.h"

#include <algorithm>

namespace riffle {

using wire::Field;

namespace {
const LogText kUnknown{{}, 2, false};
}

PartTables::PartTables(const CollectorLog &log, uint32_t part) : PartTables()
{
    ChunkReader reader;
    for (uint32_t chunk = 0; chunk < log.parts()[part]->chunks().size(); ++chunk)
        if (const wire::ChunkType type = log.type({part, chunk}); isTable(type) && reader.read(log, {part, chunk}))
            add(type, reader);
    measureFrames();
}

bool PartTables::isTable(wire::ChunkType type)
{
    return type == wire::ChunkType::Strings || type == wire::ChunkType::Threads ||
           type == wire::ChunkType::PythonFrames;
}

void PartTables::add(wire::ChunkType type, ChunkReader &reader)
{
    if (type == wire::ChunkType::Strings)
        addTexts(reader);
    else if (type == wire::ChunkType::Threads)
        addThreads(reader.columns());
    else
        m_frames.add(reader.columns());
}

void PartTables::measureFrames()
{
    m_frames.measure([this](int64_t id) { return text(id).text; });
}

void PartTables::addThreads(const ChunkColumns &columns)
{
    for (uint32_t row = 0; row < columns.rows(); ++row) {
        const int64_t index = columns.value(Field::Thread, row);
        const int64_t osThread = columns.value(Field::OsThread, row);
        const int64_t name = columns.value(Field::Name, row);
        const int64_t every = std::max<int64_t>(0, columns.value(Field::SampledEvery, row));
        LogThread &thread = m_threads[index];
        thread = {osThread == wire::kAbsent ? index : osThread, name == wire::kAbsent ? 0 : name, every};
        if (every > 0 && thread.osThread < kSampledTid)
            thread.osThread += kSampledTid;
    }
}

std::string PartTables::stackText(int64_t id) const
{
    std::string out;
    if (!m_frames.empty())
        m_frames.append(out, id, [this](int64_t string) { return text(string).text; });
    return out;
}

const LogText &PartTables::farText(int64_t id) const
{
    const auto found = m_far.find(id);
    return found == m_far.end() ? kUnknown : found->second;
}

void PartTables::addTexts(ChunkReader &reader)
{
    const ChunkColumns &columns = reader.columns();
    const std::string_view all = columns.texts();
    const uint32_t rows = columns.rows();
    m_byteCount += all.size() + uint64_t{rows} * sizeof(LogText);
    if (m_byteCount > kMaxTextBytes)
        return;
    const size_t before = all.empty() ? 0 : static_cast<size_t>(all.data() - reader.payload().data());
    const std::string &kept = m_bytes.emplace_back(reader.takePayload());
    std::string_view left = std::string_view(kept).substr(before, all.size());
    for (uint32_t row = 0; row < rows; ++row) {
        const auto length = static_cast<uint64_t>(columns.value(Field::Bytes, row));
        if (length > left.size())
            return;
        addText(columns.value(Field::Id, row), left.substr(0, length));
        left.remove_prefix(length);
    }
}

void PartTables::addText(int64_t id, std::string_view text)
{
    text = text.substr(0, wire::kMaxTextBytes);
    if (!isUtf8(text))
        text = m_bytes.emplace_back(validUtf8(text));
    const LogText entry{text, static_cast<uint32_t>(jsonStringBytes(text)), true};
    if (id <= 0)
        return; // 0 is always the empty string
    if (static_cast<uint64_t>(id) >= kDenseIds) {
        m_far[id] = entry;
        return;
    }
    const auto at = static_cast<size_t>(id);
    if (at >= m_texts.size())
        m_texts.resize(std::max(at + 1, std::min(kDenseIds, 2 * m_texts.size())), kUnknown);
    m_texts[at] = entry;
}

} // namespace riffle
