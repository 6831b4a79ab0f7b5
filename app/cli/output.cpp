// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output.h"

#include "app/cli/command.h"
#include "model/base/shown_text.h"

#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

namespace riffle::cli {

void flushOutput()
{
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
        throw std::system_error(errno ? errno : EIO, std::generic_category());
}

void complain(const std::string &sentence)
{
    std::fputs(("riffle-cli: " + shownText(sentence) + "\n").c_str(), stderr);
}

int endedBy(const std::exception &exception)
{
    const auto *const error = dynamic_cast<const std::system_error *>(&exception);
    if (error && std::ferror(stdout)) {
        if (error->code() != std::errc::broken_pipe)
            complain("The output could not be written: " + error->code().message() + ".");
    } else if (dynamic_cast<const std::bad_alloc *>(&exception)) {
        complain("There is not enough memory.");
    } else {
        complain(exception.what());
    }
    return Unreadable;
}

Result<void> toStandardOutput(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
    return {};
}

} // namespace riffle::cli
