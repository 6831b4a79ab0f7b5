// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The program riffle-window of the wheel. The window itself is a library, so that this program can first load what Qt
// expects of a desktop and what a small system lacks, and can say what is missing. The system's own libraries come
// first, because they fit its drivers and its newer programs. Programs that the window starts get the same search path
// for libraries as before.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

/// Loads each library of order.txt: the system's, otherwise ours. Each one stands behind those that it needs.
void loadDesktop(const fs::path &folder)
{
    std::ifstream order(folder / "order.txt");
    for (std::string name; std::getline(order, name);)
        if (!dlopen(name.c_str(), RTLD_LAZY))
            dlopen((folder / name).c_str(), RTLD_LAZY);
}

} // namespace

int main(int argc, char **argv)
{
    std::error_code error;
    const fs::path package = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
    if (error) {
        std::fputs("riffle: The window finds its files through /proc, which is not there.\n", stderr);
        return 1;
    }
    // Without a configuration, fontconfig complains, and there are hardly any fonts.
    if (!fs::exists("/etc/fonts/fonts.conf", error)) {
        setenv("FONTCONFIG_FILE", (package / "fonts" / "fonts.conf").c_str(), 0);
        setenv("RIFFLE_FONTS", (package / "fonts").c_str(), 0);
    }
    loadDesktop(package / "desktop");

    void *const window = dlopen((package / "lib" / "libriffle-window.so").c_str(), RTLD_NOW);
    if (!window) {
        std::fprintf(stderr,
                     "riffle: The window cannot be loaded: %s. Qt comes from the package PyQt6-Qt6, which must be "
                     "installed in the folder of riffle-profiler-window: pip install --force-reinstall "
                     "riffle-profiler-window\n",
                     dlerror());
        return 1;
    }
    using Main = int (*)(int, char **);
    return reinterpret_cast<Main>(dlsym(window, "main"))(argc, argv);
}
