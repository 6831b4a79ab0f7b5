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

/// Inflates the gzip members of a mapped file front to back, or from a resume point on. Owned by one reader at a time.
class GzipReader {
public:
    /// Where inflating can go on: isa-l's whole state, which holds the 32 KiB of history too, and the place in the
    /// file.
    struct Point {
        uint64_t fileOffset = 0;
        std::string state; ///< zstd-compressed; empty: the start of a member
    };

    explicit GzipReader(std::shared_ptr<const MappedFile> file);
    ~GzipReader();
    GzipReader(const GzipReader &) = delete;
    GzipReader &operator=(const GzipReader &) = delete;

    Point point() const;
    /// False when the state is none of this build's isa-l.
    bool resume(uint64_t fileOffset, std::string_view state);
    /// Fills `out`; less only at the end of what can be inflated.
    size_t inflate(std::span<char> out);

    uint64_t filePosition() const { return m_position; }
    /// What was wrong where it ended, and what was ignored there without loss.
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
    std::unique_ptr<Scratch> m_scratch;
    std::atomic<uint64_t> m_position{0}; ///< progress is asked for by other threads
    bool m_damaged = false;              ///< only what isa-l has decoded already is left to give
    bool m_ended = false;
    std::optional<std::string> m_damage;
    std::optional<std::string> m_trailing;
};

} // namespace riffle
