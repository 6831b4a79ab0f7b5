// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/kineto_wire.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

constexpr size_t kHeader = 40, kHead = 16;

void check(std::string_view datagram)
{
    const auto poll = riffle::record::parseKinetoPoll(datagram);
    if (!poll)
        return;
    if (poll->pids.empty() || kHeader + kHead + 4 * poll->pids.size() > datagram.size())
        std::abort();
    if (std::memcmp(poll->pids.data(), datagram.data() + kHeader + kHead, 4 * poll->pids.size()) != 0)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string datagram(reinterpret_cast<const char *>(data), size);
    check(datagram);
    if (size >= kHeader) // also as the body of a valid header, so that the code after its checks is reached
        check(riffle::record::formatKinetoAnswer(datagram.substr(kHeader)));
    return 0;
}
