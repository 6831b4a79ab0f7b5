// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/rendezvous.h"

#include "collector/client/rank.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <unistd.h>

namespace riffle::record {

namespace fs = std::filesystem;

namespace {

Rendezvous::Process read(const fs::path &file, int pid)
{
    Rendezvous::Process process;
    process.pid = pid;
    std::ifstream text(file);
    for (std::string line; std::getline(text, line);) {
        const std::string_view view(line);
        if (view == "state=done")
            process.done = true;
        else if (view.starts_with("steps="))
            process.steps = wholeNumber(view.substr(6)).value_or(0);
        else if (view.starts_with("error="))
            process.error = view.substr(6);
    }
    return process;
}

bool isAlive(int pid) { return kill(pid, 0) == 0 || errno == EPERM; }

} // namespace

Rendezvous::Rendezvous()
{
    std::error_code error;
    const fs::path base = fs::temp_directory_path(error);
    std::string name = ((error ? fs::path("/tmp") : base) / "riffle-record-XXXXXX").string();
    if (mkdtemp(name.data()))
        m_folder = name;
}

Rendezvous::~Rendezvous()
{
    std::error_code error;
    if (!m_folder.empty())
        fs::remove_all(m_folder, error);
}

std::vector<Rendezvous::Process> Rendezvous::processes() const
{
    std::vector<Process> all;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(m_folder, error))
        if (const auto pid = wholeNumber(entry.path().filename().string()); pid && *pid > 0)
            all.push_back(read(entry.path(), *pid));
    return all;
}

bool Rendezvous::allDone() const
{
    bool one = false;
    for (const Process &process : processes()) {
        if (!process.done && isAlive(process.pid))
            return false;
        one |= process.done;
    }
    return one;
}

std::vector<std::string> Rendezvous::exported() const
{
    std::vector<std::string> paths;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(m_folder, error)) {
        if (entry.path().extension() != ".exported")
            continue;
        std::ifstream text(entry.path());
        for (std::string line; std::getline(text, line);)
            if (std::ranges::find(paths, line) == paths.end())
                paths.push_back(line);
    }
    return paths;
}

} // namespace riffle::record
