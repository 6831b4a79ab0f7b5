// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

/// The folders with the sockets of riffle/control.h, and the checks of whether they can be trusted; used by both sides.
namespace riffle::control {

/// The folders that may contain sockets of this user, the preferred one first: $XDG_RUNTIME_DIR/riffle,
/// /tmp/riffle-<uid>. A job that a batch system started may see different variables than the user's shell, so a viewer
/// looks in both. $RIFFLE_SOCKETS replaces them, for example with a folder that a container shares with its host.
inline std::vector<std::string> socketFolders()
{
    if (const char *chosen = std::getenv("RIFFLE_SOCKETS"); chosen && *chosen == '/')
        return {chosen};
    const std::string uid = std::to_string(geteuid());
    std::vector<std::string> folders;
    const char *runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime == '/')
        folders.push_back(std::string(runtime) + "/riffle");
    folders.push_back("/tmp/riffle-" + uid);
    return folders;
}

/// The reason why sockets in this folder cannot be trusted, as a part of a sentence; empty if it is a folder rather
/// than a link to one, belongs to this user, and is closed to others.
inline std::string folderProblem(const std::string &folder)
{
    const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return folder + ": " + std::strerror(errno);
    struct stat status {};
    const bool known = fstat(file, &status) == 0;
    close(file);
    if (!known || status.st_uid != geteuid())
        return folder + " belongs to another user";
    return (status.st_mode & 077) != 0 ? folder + " is open to others" : std::string();
}

/// The socket address for a path; nullopt if the path is too long for a socket.
inline std::optional<sockaddr_un> socketAddress(const std::string &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path))
        return std::nullopt;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

/// True if the other side of a connected socket is a process of this user.
inline bool isOurs(int socket)
{
    ucred peer{};
    socklen_t size = sizeof(peer);
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

} // namespace riffle::control
