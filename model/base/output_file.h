// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace riffle {

/// A file that is there, complete and under its name, or not at all: written beside its place and moved there at the
/// end.
class OutputFile {
public:
    static Result<std::unique_ptr<OutputFile>> create(const std::string &path);
    ~OutputFile(); ///< removes what was not placed
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    Result<void> write(std::string_view bytes);
    /// Writes what is left and moves the file to its place.
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
