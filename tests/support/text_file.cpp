// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/text_file.h"

#include <isa-l/igzip_lib.h>

#include <cstdint>
#include <cstdio>
#include <memory>

namespace riffle::test {

namespace {

constexpr std::size_t kChunk = std::size_t(1) << 20;

struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
};

} // namespace

std::optional<std::string> inflateGzip(std::string_view compressed)
{
    auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    state->crc_flag = ISAL_GZIP;

    std::string text;
    std::size_t fed = 0;
    std::size_t used = 0;
    bool finished = false;
    while (true) {
        if (state->avail_in == 0 && fed < compressed.size()) {
            const std::size_t size = std::min(kChunk, compressed.size() - fed);
            state->next_in = reinterpret_cast<std::uint8_t *>(const_cast<char *>(compressed.data() + fed));
            state->avail_in = static_cast<std::uint32_t>(size);
            fed += size;
        }
        if (text.size() - used < kChunk)
            text.resize(std::max(text.size() * 2, 4 * kChunk));
        const std::size_t room = std::min<std::size_t>(text.size() - used, std::size_t(1) << 30);
        state->next_out = reinterpret_cast<std::uint8_t *>(text.data() + used);
        state->avail_out = static_cast<std::uint32_t>(room);
        const std::uint32_t offered = state->avail_in;
        if (isal_inflate(state.get()) != ISAL_DECOMP_OK)
            return std::nullopt;
        const std::size_t produced = room - state->avail_out;
        used += produced;
        finished = state->block_state == ISAL_BLOCK_FINISH;
        const bool moreInput = state->avail_in > 0 || fed < compressed.size();
        if (finished) {
            if (!moreInput)
                break;
            isal_inflate_reset(state.get());
            state->crc_flag = ISAL_GZIP;
            continue;
        }
        if (!moreInput && produced == 0 && state->avail_in == offered)
            break;
    }
    if (!finished)
        return std::nullopt;
    text.resize(used);
    return text;
}

std::optional<std::string> readText(const std::filesystem::path &path)
{
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
    if (!file)
        return std::nullopt;
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error)
        return std::nullopt;
    std::string bytes(size, '\0');
    if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
        return std::nullopt;
    if (bytes.starts_with("\x1f\x8b"))
        return inflateGzip(bytes);
    return bytes;
}

} // namespace riffle::test
