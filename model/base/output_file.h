// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Writes a file that appears under its name either complete or not at all: it is written in the same folder and gets
/// its name at the end.
class OutputFile {
public:
    /// `inputs` are the files and folders that are read for this output; the output never replaces one of them.
    static Result<std::unique_ptr<OutputFile>> create(const std::string &path, const std::vector<std::string> &inputs);
    /// Returns an Error if writing to `path` would destroy an input: if it is one of them, or a file in one that is a
    /// folder, under any name (device and inode decide).
    static Result<void> spares(const std::vector<std::string> &inputs, const std::string &path);
    ~OutputFile(); ///< removes the temporary file unless place() succeeded
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    Result<void> write(std::string_view bytes);
    /// Writes the remaining bytes and moves the file to its place.
    Result<void> place();

private:
    explicit OutputFile(std::string path) : m_path(std::move(path)) {}
    Result<void> flush();
    std::string temporaryName() const;
    Error error(int code) const;

    std::string m_path, m_waiting;
    std::string m_temporary; ///< empty while the file has no name
    int m_file = -1;
};

} // namespace riffle
