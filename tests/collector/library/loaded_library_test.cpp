// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/loaded_library.h"

#include <gtest/gtest.h>

#include <atomic>
#include <link.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace riffle::collector {

TEST(LoadedLibrary, FindsWhatIsLoadedOnly)
{
    EXPECT_NE(loadedLibrary("libc.so"), "");
    EXPECT_EQ(loadedLibrary("libnobody-has-this.so"), "");
    EXPECT_NE(loadedHandle("libc.so"), nullptr);
}

TEST(LoadedLibrary, AChildOfAForkCanUseTheLoader)
{
    std::atomic<bool> more = true;
    loadedLibrary("none");
    std::thread searcher([&] {
        while (more)
            loadedLibrary("none");
    });
    int hung = 0;
    for (int fork = 0; fork < 500 && hung == 0; ++fork) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(5);
            dl_iterate_phdr([](dl_phdr_info *, size_t, void *) { return 1; }, nullptr);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        hung += WIFSIGNALED(status);
    }
    more = false;
    searcher.join();
    EXPECT_EQ(hung, 0);
}

} // namespace riffle::collector
