// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/text_output.h"

#include <memory>
#include <string_view>

namespace riffle {

/// Compresses a text that arrives in pieces into zstd frames of 8 MiB of text each, so that readers can return to a
/// position without inflating everything before it.
class ZstdWriter {
public:
    explicit ZstdWriter(TextSink sink);
    ~ZstdWriter();
    ZstdWriter(const ZstdWriter &) = delete;
    ZstdWriter &operator=(const ZstdWriter &) = delete;

    Result<void> write(std::string_view text);
    Result<void> finish();

private:
    Result<void> writeFrame();

    struct State;
    std::unique_ptr<State> m_state;
    TextSink m_sink;
};

} // namespace riffle
