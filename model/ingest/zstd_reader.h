// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <zstd.h>

namespace riffle {

/// True if `head` starts with the magic number of a zstd frame or of a skippable frame.
bool isZstdFrame(std::string_view head);

/// Inflates the frames of a mapped zstd file one after the other. For one thread at a time, except for filePosition().
class ZstdReader {
public:
    struct Frame {
        uint64_t fileOffset = 0;
        std::optional<uint64_t> textBytes; ///< as stated in its header, if at all
    };

    explicit ZstdReader(std::shared_ptr<const MappedFile> file, uint64_t fileOffset = 0);

    /// Moves to the next frame with content, past skippable frames; returns nothing at the end.
    std::optional<Frame> nextFrame();
    /// Fills `out` from the current frame; returns fewer bytes only where the frame ends or cannot be inflated further.
    size_t inflate(std::span<char> out);
    bool inFrame() const { return m_inFrame; }
    /// Frees the decoder with its window, which may take 1 GiB. Call this when nextFrame() has returned nothing.
    void freeDecoder();

    uint64_t filePosition() const { return m_position; }
    const std::optional<std::string> &damage() const { return m_damage; }
    const std::optional<std::string> &trailing() const { return m_trailing; }

private:
    std::string_view rest() const;
    void end(std::string what);

    struct Free {
        void operator()(ZSTD_DCtx *context) const { ZSTD_freeDCtx(context); }
    };
    std::shared_ptr<const MappedFile> m_file;
    std::unique_ptr<ZSTD_DCtx, Free> m_context;
    std::atomic<uint64_t> m_position; ///< other threads read it for progress
    size_t m_wanted = 0;              ///< bytes of the file that the decoder wants next: one block
    bool m_inFrame = false;
    std::optional<std::string> m_damage;
    std::optional<std::string> m_trailing;
};

} // namespace riffle
