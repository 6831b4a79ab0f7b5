// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_copies.h"

namespace riffle::collector {

bool CopiedMemory::readNow(PythonAddress from, void *to, size_t bytes) const
{
    iovec target{to, bytes}, source{const_cast<std::byte *>(from), bytes};
    return process_vm_readv(m_pid, &target, 1, &source, 1, 0) == static_cast<ssize_t>(bytes);
}

bool CopiedMemory::read(PythonAddress from, void *to, size_t bytes)
{
    auto *out = static_cast<std::byte *>(to);
    for (auto address = reinterpret_cast<uint64_t>(from); bytes > 0;) {
        const uint64_t number = address / kBlockBytes;
        Block &block = (*m_blocks)[number % kBlocks];
        if (block.number != number || block.round != m_round) {
            block.round = 0;
            if (!readNow(reinterpret_cast<PythonAddress>(number * kBlockBytes), block.bytes.data(), kBlockBytes))
                return false;
            block.number = number;
            block.round = m_round;
        }
        const size_t at = address % kBlockBytes, count = std::min(bytes, kBlockBytes - at);
        std::memcpy(out, block.bytes.data() + at, count);
        out += count;
        address += count;
        bytes -= count;
    }
    return true;
}

bool CopiedMemory::readAll(std::span<const PythonAddress> from, std::byte *to, size_t bytesEach) const
{
    constexpr size_t kMost = 256; // the system's limit is 1024
    std::array<iovec, kMost> sources;
    while (!from.empty()) {
        const size_t count = std::min(from.size(), kMost);
        for (size_t i = 0; i < count; ++i)
            sources[i] = {const_cast<std::byte *>(from[i]), bytesEach};
        iovec target{to, count * bytesEach};
        if (process_vm_readv(m_pid, &target, 1, sources.data(), count, 0) != static_cast<ssize_t>(target.iov_len))
            return false;
        to += target.iov_len;
        from = from.subspan(count);
    }
    return true;
}

} // namespace riffle::collector
