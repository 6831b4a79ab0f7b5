// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/log_writer.h"

#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace riffle::test {

/// The ends of the chunks of a log file, and of its header before them.
std::vector<size_t> chunkEnds(const std::string &bytes);

/// Writes the files of a whole log to another folder piece by piece, as their writer would.
class LogReplay {
public:
    explicit LogReplay(const LogFolder &whole);
    bool isDone() const { return m_file == m_names.size(); }
    /// Writes up to the end of a chunk `chunks` further on, and with `cut` also a part of the chunk after it.
    void write(size_t chunks, std::mt19937 *cut = nullptr);
    /// Deletes the oldest files; keeps the two newest.
    void roll() const;
    const std::string &path() const { return m_folder.path(); }

private:
    void readFile();
    /// Appends to the file until it has this size.
    void put(size_t size);

    const LogFolder &m_whole;
    const LogFolder m_folder;
    std::vector<std::string> m_names;
    std::string m_bytes; ///< of the file that is being written
    std::vector<size_t> m_ends;
    size_t m_file = 0, m_written = 0;
    std::map<size_t, size_t> m_put; ///< by file: its size, cut chunks included
};

} // namespace riffle::test
