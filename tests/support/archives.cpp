// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/archives.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <isa-l/igzip_lib.h>
#include <iterator>
#include <memory>
#include <random>
#include <vector>
#include <zstd.h>

namespace riffle::test {

std::string traceLikeText(size_t bytes, uint32_t seed)
{
    std::mt19937 random(seed);
    std::string text = "{\"traceEvents\": [\n";
    while (text.size() < bytes) {
        text += R"({"ph": "X", "cat": "cpu_op", "name": "aten::op)" + std::to_string(random() % 300) +
                R"(", "pid": 1, "tid": 2, "ts": )" + std::to_string(random()) + R"(, "dur": )" +
                std::to_string(random() % 9999) + R"(, "args": {"External id": )" + std::to_string(random()) +
                R"(, "Sequence number": )" + std::to_string(random() % 100000) + "}},\n";
    }
    text.resize(bytes);
    return text;
}

std::string gzipped(std::string_view text)
{
    std::vector<uint8_t> levelBuffer(ISAL_DEF_LVL1_DEFAULT);
    std::string out(text.size() + text.size() / 8 + 4096, '\0');
    auto stream = std::make_unique<isal_zstream>();
    isal_deflate_init(stream.get());
    stream->level = 1;
    stream->level_buf = levelBuffer.data();
    stream->level_buf_size = static_cast<uint32_t>(levelBuffer.size());
    stream->gzip_flag = IGZIP_GZIP;
    stream->end_of_stream = 1;
    stream->next_in = const_cast<uint8_t *>(reinterpret_cast<const uint8_t *>(text.data()));
    stream->avail_in = static_cast<uint32_t>(text.size());
    stream->next_out = reinterpret_cast<uint8_t *>(out.data());
    stream->avail_out = static_cast<uint32_t>(out.size());
    if (isal_deflate(stream.get()) != COMP_OK)
        std::abort();
    out.resize(stream->total_out);
    return out;
}

std::string zstdCompressed(std::string_view text, bool sized)
{
    std::string out(ZSTD_compressBound(text.size()), '\0');
    const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, sized ? 1 : 0);
    const size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), text.data(), text.size());
    if (ZSTD_isError(size))
        std::abort();
    out.resize(size);
    return out;
}

std::string skippableFrame(std::string_view content)
{
    std::string frame = "\x50\x2A\x4D\x18";
    for (int shift = 0; shift < 32; shift += 8)
        frame += static_cast<char>(content.size() >> shift & 0xFF);
    return frame + std::string(content);
}

TemporaryFolder::TemporaryFolder()
{
    std::string name = (std::filesystem::temp_directory_path() / "riffle-test-XXXXXX").string();
    if (!::mkdtemp(name.data()))
        std::abort();
    m_path = name;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

void writeFile(const std::string &path, std::string_view bytes)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush())
        std::abort();
}

std::string readFile(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace riffle::test
