// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"

#include <atomic>
#include <cstdint>
#include <isa-l/igzip_lib.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace riffle {

/// Inflates the gzip members of a mapped file, front to back or from a resume point on. For one thread at a time,
/// except for filePosition().
class GzipReader {
public:
    /// A point from which inflating can resume: isa-l's whole state, which includes the 32 KiB of history, and the
    /// position in the file.
    struct Point {
        uint64_t fileOffset = 0;
        std::string state; ///< zstd-compressed; empty if it could not be compressed
    };

    explicit GzipReader(std::shared_ptr<const MappedFile> file);
    ~GzipReader();
    GzipReader(const GzipReader &) = delete;
    GzipReader &operator=(const GzipReader &) = delete;

    Point point() const;
    /// Returns false if `state` is not a whole state of this build's isa-l or the offset is outside the file.
    bool resume(uint64_t fileOffset, std::string_view state);
    /// Fills `out`; returns fewer bytes only at the end of what can be inflated.
    size_t inflate(std::span<char> out);

    uint64_t filePosition() const { return m_position; }
    /// damage() describes why bytes of the file could not be inflated; trailing() describes zero bytes at the end of
    /// the file, which are ignored without loss.
    const std::optional<std::string> &damage() const { return m_damage; }
    const std::optional<std::string> &trailing() const { return m_trailing; }

private:
    struct Scratch;
    bool nextMember();
    void startMember();
    void endDamaged(std::string what);
    size_t takeRest(std::span<char> out);

    std::shared_ptr<const MappedFile> m_file;
    std::unique_ptr<inflate_state> m_state;
    mutable std::unique_ptr<Scratch> m_scratch;
    std::atomic<uint64_t> m_position{0}; ///< other threads read it for progress
    bool m_damaged = false;              ///< only the bytes that isa-l has already decoded are left
    bool m_ended = false;
    std::optional<std::string> m_damage;
    std::optional<std::string> m_trailing;
};

} // namespace riffle
