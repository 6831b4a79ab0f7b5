// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/window.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

namespace {

int run(int argc, char **argv)
{
    const riffle::cli::Call call = riffle::cli::Call::of(argc, argv);
    CLI::App app(
        "Riffle, a viewer for traces of GPU training.\n\n"
        "A path opens the window: riffle PATH... opens traces, logs, memory snapshots or a session together\n"
        "(riffle-window --help describes its options). A command answers a question without a window, or records a\n"
        "job. A file with the name of a command is opened as ./NAME. riffle-cli is another name of this program.\n\n"
        "Wherever a file can be named, a folder or an archive (zip, tar, tar.gz, tar.zst) stands for the traces and\n"
        "memory files in it, ARCHIVE/NAME for one of them, and - for standard input. A path with *, **, ? or [...]\n"
        "that is no file stands for what matches it.\n\n"
        "Exit codes (record returns that of its command): 0 success, 1 a failure, such as a file that could not be\n"
        "read or written, 2 usage error, 3 some data of a file was lost or damaged, 4 a limit was exceeded,\n"
        "5 a check failed.",
        call.name);
    app.footer(
        "\n" + call.name +
        " COMMAND --help describes a command in full. Opened traces are kept in an indexed form in the\n"
        "cache folder ($RIFFLE_CACHE, otherwise $XDG_CACHE_HOME/riffle, otherwise ~/.cache/riffle), so that they open\n"
        "much faster the next time. --no-store turns this off.");
    app.set_version_flag("--version", RIFFLE_VERSION);
    app.require_subcommand(1);
    int code = riffle::cli::Good;
    riffle::cli::addInfoCommand(app, code);
    riffle::cli::addRunCommand(app, code);
    riffle::cli::addSlicesCommand(app, code);
    riffle::cli::addSummaryCommand(app, code);
    riffle::cli::addVerdictCommand(app, code);
    riffle::cli::addDiffCommand(app, code);
    riffle::cli::addMemoryCommand(app, code);
    riffle::cli::addCommCommand(app, code);
    riffle::cli::addStragglersCommand(app, code);
    riffle::cli::addHangCommand(app, code);
    riffle::cli::addReportCommand(app, code);
    riffle::cli::addSqlCommand(app, code);
    riffle::cli::addRecordCommand(app, code);
    riffle::cli::addControlCommand(app, code);
    riffle::cli::addTailCommand(app, code);
    riffle::cli::addCheckCommand(app, code);
    riffle::cli::addConvertCommand(app, code);
    riffle::cli::addTrimCommand(app, code);
    std::vector<std::string> commands;
    for (const CLI::App *command : app.get_subcommands(nullptr))
        commands.push_back(command->get_name());
    if (riffle::cli::isForWindow(call, commands))
        return riffle::cli::becomeWindow(call, argv);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &success) {
        std::ostringstream text; // the help, or the version
        const int shown = app.exit(success, text, text);
        fmt::print("{}", text.str());
        return shown;
    } catch (const CLI::ParseError &error) {
        app.exit(error);
        return riffle::cli::Usage;
    }
    return code;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const int code = run(argc, argv);
        riffle::cli::flushOutput();
        return code;
    } catch (const std::exception &exception) {
        return riffle::cli::endedBy(exception);
    }
}
