// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/mapped_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace riffle {

namespace {

/// A mapping that the SIGBUS handler may repair. The number of slots is fixed because a signal handler must not
/// allocate memory or lock a mutex.
struct Slot {
    std::atomic<uintptr_t> begin{0};
    std::atomic<uintptr_t> end{0};
    std::atomic<bool> lost{false};
};
constexpr size_t kSlots = 4096;
std::array<Slot, kSlots> g_slots;
std::mutex g_slotMutex;
struct sigaction g_previousAction;

void onSigbus(int signal, siginfo_t *info, void *context)
{
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    for (Slot &slot : g_slots) {
        if (address < slot.begin.load(std::memory_order_acquire) || address >= slot.end.load(std::memory_order_acquire))
            continue;
        const uintptr_t page = address & ~(static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)) - 1);
        void *fixed = mmap(reinterpret_cast<void *>(page), static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_READ,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (fixed == MAP_FAILED)
            break;
        slot.lost.store(true, std::memory_order_release);
        return;
    }
    // The address is in none of our mappings, or the page cannot be replaced: call the previous handler, or restore the
    // previous action and raise the signal again.
    if (g_previousAction.sa_flags & SA_SIGINFO) {
        g_previousAction.sa_sigaction(signal, info, context);
        return;
    }
    sigaction(SIGBUS, &g_previousAction, nullptr);
    raise(SIGBUS);
}

void installHandlerOnce()
{
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action = {};
        action.sa_sigaction = onSigbus;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        sigaction(SIGBUS, &action, &g_previousAction);
    });
}

int claimSlot(const void *data, size_t size)
{
    installHandlerOnce();
    std::scoped_lock lock(g_slotMutex);
    for (size_t index = 0; index < kSlots; ++index) {
        Slot &slot = g_slots[index];
        if (slot.end.load() != 0)
            continue;
        slot.lost = false;
        slot.begin = reinterpret_cast<uintptr_t>(data);
        slot.end = reinterpret_cast<uintptr_t>(data) + size;
        return static_cast<int>(index);
    }
    return -1;
}

Error systemError(const std::string &path, const char *what)
{
    return {std::string(what) + ": " + std::strerror(errno) + ".", path, std::nullopt};
}

} // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string &path)
{
    // Non-blocking: opening a pipe would otherwise wait for its writer before we can see that it is not a file.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return systemError(path, "Cannot open the file");
    struct stat status = {};
    if (fstat(fd, &status) != 0) {
        Error error = systemError(path, "Cannot read the file's size");
        ::close(fd);
        return error;
    }
    if (!S_ISREG(status.st_mode)) {
        ::close(fd);
        return Error{S_ISDIR(status.st_mode) ? "This is a folder, not a trace file." : "This is not a regular file.",
                     path, std::nullopt};
    }
    std::shared_ptr<MappedFile> file(new MappedFile);
    file->m_path = path;
    file->m_size = static_cast<uint64_t>(status.st_size);
    file->m_device = status.st_dev;
    file->m_inode = status.st_ino;
    file->m_modifiedNs = static_cast<int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
    if (file->m_size > 0) {
        void *data = mmap(nullptr, file->m_size, PROT_READ, MAP_SHARED, fd, 0);
        if (data == MAP_FAILED) {
            Error error = systemError(path, "Cannot map the file");
            ::close(fd);
            return error;
        }
        file->m_data = static_cast<const std::byte *>(data);
        file->m_slot = claimSlot(data, file->m_size);
        if (file->m_slot < 0) {
            ::close(fd);
            return Error{"Too many files are open at the same time.", path, std::nullopt};
        }
    }
    ::close(fd);
    return std::shared_ptr<const MappedFile>(std::move(file));
}

MappedFile::~MappedFile()
{
    if (!m_data)
        return;
    if (m_slot >= 0) {
        std::scoped_lock lock(g_slotMutex);
        assert(static_cast<size_t>(m_slot) < std::size(g_slots));
        g_slots[static_cast<size_t>(m_slot)].end = 0; // cleared first: no address is in [begin, 0)
        g_slots[static_cast<size_t>(m_slot)].begin = 0;
    }
    munmap(const_cast<std::byte *>(m_data), m_size);
}

bool MappedFile::lost() const
{
    return m_slot >= 0 && g_slots[static_cast<size_t>(m_slot)].lost.load(std::memory_order_acquire);
}

bool MappedFile::wasCut() const
{
    struct stat now = {};
    // Another file that has taken the name does not affect the mapping.
    return lost() || (::stat(m_path.c_str(), &now) == 0 && now.st_dev == m_device && now.st_ino == m_inode &&
                      static_cast<uint64_t>(now.st_size) < m_size);
}

void MappedFile::adviseSequential() const
{
    if (m_data)
        madvise(const_cast<std::byte *>(m_data), m_size, MADV_SEQUENTIAL);
}

void MappedFile::dropPages(uint64_t offset, uint64_t length) const
{
    const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    offset = std::min(offset, m_size);
    const uint64_t from = (offset + page - 1) / page * page;
    const uint64_t to = (offset + std::min(length, m_size - offset)) / page * page;
    if (m_data && from < to)
        madvise(const_cast<std::byte *>(m_data) + from, to - from, MADV_DONTNEED);
}

} // namespace riffle
