// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/inflate_limits.h"

#include "tests/support/mapped_text.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace riffle::bench {

namespace {

constexpr std::size_t kOutput = std::size_t(1) << 20;
constexpr std::size_t kInput = std::size_t(1) << 30;

/// The number of bytes of text; nothing if the stream is damaged or cut off.
std::optional<std::uint64_t> runIgzip(std::string_view bytes, std::vector<std::uint8_t> &output)
{
    auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    state->crc_flag = ISAL_GZIP;
    std::uint64_t produced = 0;
    std::size_t fed = 0;
    while (true) {
        if (state->avail_in == 0 && fed < bytes.size()) {
            const std::size_t size = std::min(kInput, bytes.size() - fed);
            state->next_in = reinterpret_cast<std::uint8_t *>(const_cast<char *>(bytes.data() + fed));
            state->avail_in = static_cast<std::uint32_t>(size);
            fed += size;
        }
        state->next_out = output.data();
        state->avail_out = static_cast<std::uint32_t>(output.size());
        if (isal_inflate(state.get()) != ISAL_DECOMP_OK)
            return std::nullopt;
        const std::size_t step = output.size() - state->avail_out;
        produced += step;
        const bool isAtEnd = state->avail_in == 0 && fed == bytes.size();
        if (state->block_state == ISAL_BLOCK_FINISH) {
            if (isAtEnd)
                return produced;
            isal_inflate_reset(state.get());
            state->crc_flag = ISAL_GZIP;
        } else if (isAtEnd && step == 0) {
            return std::nullopt;
        }
    }
}

std::optional<std::uint64_t> runZstd(std::string_view bytes, std::vector<std::uint8_t> &output)
{
    const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    std::uint64_t produced = 0;
    std::size_t wanted = 1;
    while (in.pos < in.size || wanted != 0) {
        ZSTD_outBuffer out = {output.data(), output.size(), 0};
        wanted = ZSTD_decompressStream(context.get(), &out, &in);
        if (ZSTD_isError(wanted) != 0U || (in.pos == in.size && out.pos == 0 && wanted != 0))
            return std::nullopt;
        produced += out.pos;
    }
    return produced;
}

template <typename Run>
std::optional<InflateLimit> measure(const std::filesystem::path &path, int repeats, Run run)
{
    const MappedText text(path);
    if (!text.isValid())
        return std::nullopt;
    InflateLimit limit{.compressedBytes = text.view().size(), .seconds = std::numeric_limits<double>::infinity()};
    std::vector<std::uint8_t> output(kOutput);
    for (int i = 0; i < repeats; ++i) {
        const Stopwatch watch;
        const auto produced = run(text.view(), output);
        if (!produced)
            return std::nullopt;
        limit.textBytes = *produced;
        limit.seconds = std::min(limit.seconds, watch.seconds());
    }
    return limit;
}

} // namespace

std::optional<InflateLimit> measureIgzip(const std::filesystem::path &path, int repeats)
{
    return measure(path, repeats, runIgzip);
}

std::optional<InflateLimit> measureZstd(const std::filesystem::path &path, int repeats)
{
    return measure(path, repeats, runZstd);
}

} // namespace riffle::bench
