// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/own_file.h"
#include "riffle/wire.h"

#include <array>
#include <string>
#include <string_view>

namespace riffle::collector {

using SessionId = std::array<uint8_t, 16>;

/// One file of a log, written chunk by chunk. A chunk that could not be written completely is removed again, so that
/// the file always ends with a complete chunk unless the process dies in the middle of a write.
class PartFile {
public:
    // create() and append() return 0 or an errno.
    int create(const std::string &path, const SessionId &session, uint32_t sequence);
    int append(wire::ChunkHeader header, std::string_view stored);
    void close() { m_file.close(); }

    bool isOpen() const { return m_file.isOpen(); }
    /// True if somebody has deleted the file.
    bool isDeleted();
    uint64_t bytes() const { return m_bytes; }

private:
    int writeAll(std::string_view first, std::string_view second);

    OwnFile m_file;
    uint64_t m_bytes = 0;
};

} // namespace riffle::collector
