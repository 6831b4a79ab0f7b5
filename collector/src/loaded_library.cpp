// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/loaded_library.h"

#include <mutex>
#include <pthread.h>
#include <string_view>

namespace riffle::collector {

namespace {

struct Search {
    const char *prefix;
    std::string path;
};

std::mutex g_walking;

/// Makes forks wait while one of our threads holds the loader's lock for its list, because glibc does not reset that
/// lock in the child. We hold it only for moments, and meanwhile call no code of the program, which could fork.
void keepForksOut()
{
    static const int registered =
        pthread_atfork([] { g_walking.lock(); }, [] { g_walking.unlock(); }, [] { g_walking.unlock(); });
    (void)registered;
}

} // namespace

void visitLibraries(int (*visit)(dl_phdr_info *info, size_t bytes, void *data), void *data)
{
    keepForksOut();
    std::scoped_lock lock(g_walking);
    dl_iterate_phdr(visit, data);
}

std::string loadedLibrary(const char *prefix)
{
    Search search{prefix, {}};
    visitLibraries(
        [](dl_phdr_info *info, size_t, void *data) {
            Search &wanted = *static_cast<Search *>(data);
            const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
            const std::string_view name = path.substr(path.rfind('/') + 1);
            if (!name.starts_with(wanted.prefix))
                return 0;
            wanted.path = path;
            return 1;
        },
        &search);
    return search.path;
}

void *loadedHandle(const char *prefix)
{
    const std::string path = loadedLibrary(prefix);
    return path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
}

} // namespace riffle::collector
