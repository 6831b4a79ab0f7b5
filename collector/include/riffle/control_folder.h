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

/// Where the sockets of riffle/control.h are, and whom to trust there; for both sides.
namespace riffle::control {

/// Folders that may hold sockets of this user, the first is the preferred one: $XDG_RUNTIME_DIR/riffle,
/// /tmp/riffle-<uid>. A job that a batch system started may see other variables than the user's shell, so that a viewer
/// looks in all. $RIFFLE_SOCKETS is taken instead of both, such as a folder that a container shares with its host.
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

/// Why sockets in this folder cannot be trusted; empty: it is a folder, not a link to one, ours, and nobody else's to
/// enter.
inline std::string folderProblem(const std::string &folder)
{
    const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return folder + ": " + std::strerror(errno);
    struct stat status {};
    const bool known = fstat(file, &status) == 0;
    close(file);
    if (!known || status.st_uid != geteuid())
        return folder + " belongs to somebody else";
    return (status.st_mode & 077) != 0 ? folder + " is open to others" : std::string();
}

/// Nothing where the path is too long for a socket.
inline std::optional<sockaddr_un> socketAddress(const std::string &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path))
        return std::nullopt;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

/// Whether the other side of a connected socket is a process of this user.
inline bool isOurs(int socket)
{
    ucred peer{};
    socklen_t size = sizeof(peer);
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

} // namespace riffle::control
