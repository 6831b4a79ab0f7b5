// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/text_output.h"

#include <memory>
#include <string_view>

namespace riffle {

/// Compresses a text that arrives in pieces into one gzip member.
class GzipWriter {
public:
    explicit GzipWriter(TextSink sink);
    ~GzipWriter();
    GzipWriter(const GzipWriter &) = delete;
    GzipWriter &operator=(const GzipWriter &) = delete;

    Result<void> write(std::string_view text);
    Result<void> finish();

private:
    Result<void> deflate(std::string_view text, bool last);

    struct State;
    std::unique_ptr<State> m_state;
    TextSink m_sink;
};

} // namespace riffle
