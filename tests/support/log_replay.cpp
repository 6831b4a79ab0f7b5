// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/log_replay.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace riffle::test {

std::vector<size_t> chunkEnds(const std::string &bytes)
{
    std::vector<size_t> ends{sizeof(wire::FileHeader)};
    while (ends.back() < bytes.size()) {
        wire::ChunkHeader header;
        std::memcpy(&header, bytes.data() + ends.back(), sizeof header);
        ends.push_back(ends.back() + sizeof header + header.storedBytes);
    }
    return ends;
}

LogReplay::LogReplay(const LogFolder &whole) : m_whole(whole)
{
    for (const auto &entry : std::filesystem::directory_iterator(whole.path()))
        m_names.push_back(entry.path().filename().string());
    std::sort(m_names.begin(), m_names.end());
    readFile();
}

void LogReplay::write(size_t chunks, std::mt19937 *cut)
{
    for (; chunks > 0 && !isDone(); --chunks) {
        m_written = *std::upper_bound(m_ends.begin(), m_ends.end(), m_written);
        put(m_written);
        if (m_written == m_bytes.size() && ++m_file < m_names.size()) {
            readFile();
            m_written = 0;
        }
    }
    if (cut && !isDone())
        put(m_written + (*cut)() % 60);
}

void LogReplay::roll() const
{
    for (size_t at = 0; at + 2 < std::min(m_file + 1, m_names.size()); ++at)
        if (m_names[at] != wire::kStepsFile)
            std::filesystem::remove(m_folder.path() + "/" + m_names[at]);
}

void LogReplay::readFile()
{
    std::ifstream file(m_whole.path() + "/" + m_names[m_file], std::ios::binary);
    m_bytes.assign(std::istreambuf_iterator<char>(file), {});
    m_ends = chunkEnds(m_bytes);
}

void LogReplay::put(size_t size)
{
    const size_t before = m_put[m_file];
    m_put[m_file] = std::max(before, std::min(size, m_bytes.size()));
    std::ofstream(m_folder.path() + "/" + m_names[m_file], std::ios::binary | std::ios::app)
        << std::string_view(m_bytes).substr(before, m_put[m_file] - before);
}

} // namespace riffle::test
