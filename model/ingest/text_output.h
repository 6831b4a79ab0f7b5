// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Takes the next bytes of a text; an Error stops the writing.
using TextSink = std::function<Result<void>(std::string_view)>;

/// A file whose text arrives in pieces and is compressed according to the file's name: gzip for .gz, zstd for .zst.
/// place() makes the complete file appear under its name; without it, nothing of the file remains.
class TextOutput {
public:
    /// `inputs`: see OutputFile::create().
    static Result<std::unique_ptr<TextOutput>> create(const std::string &path, const std::vector<std::string> &inputs);
    ~TextOutput();
    TextOutput(const TextOutput &) = delete;
    TextOutput &operator=(const TextOutput &) = delete;

    Result<void> write(std::string_view text);
    Result<void> place();
    TextSink sink()
    {
        return [this](std::string_view text) { return write(text); };
    }

private:
    struct State;
    explicit TextOutput(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace riffle
