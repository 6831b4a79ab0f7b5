// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/nvtx_abi.h"
#include "riffle/collector.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace riffle::bench {

/// libriffle_collector.so as a process has it: loaded, and set into NVTX as its headers do it.
class LoadedCollector {
public:
    explicit LoadedCollector(const char *path) : m_library(dlopen(path, RTLD_NOW | RTLD_LOCAL))
    {
        if (!m_library) {
            std::fprintf(stderr, "%s\n", dlerror());
            std::exit(1);
        }
        find(start, "riffle_start");
        find(stop, "riffle_stop");
        find(lastError, "riffle_last_error");
        find(getStats, "riffle_get_stats");
        find(rangePush, "riffle_range_push");
        find(rangePop, "riffle_range_pop");
        int (*inject)(collector::nvtx::GetExportTable) = nullptr;
        find(inject, "InitializeInjectionNvtx2");
        for (size_t at = 0; at < s_functions.size(); ++at)
            s_places[at] = &s_functions[at];
        s_functions.fill([] {}); // NVTX's own, so that they are there to be replaced
        inject([](uint32_t id) -> const void * { return id == collector::nvtx::kCallbacks ? &kCallbacks : nullptr; });
    }

    decltype(&riffle_start) start = nullptr;
    decltype(&riffle_stop) stop = nullptr;
    decltype(&riffle_last_error) lastError = nullptr;
    decltype(&riffle_get_stats) getStats = nullptr;
    decltype(&riffle_range_push) rangePush = nullptr;
    decltype(&riffle_range_pop) rangePop = nullptr;

    /// Call through a pointer that is read on every call, like nvtxRangePushA() and nvtxRangePop().
    static int nvtxPush(const char *name)
    {
        const auto call = reinterpret_cast<int (*)(const char *)>(slot(collector::nvtx::kRangePushA));
        return call ? call(name) : -1;
    }
    static int nvtxPop()
    {
        const auto call = reinterpret_cast<int (*)()>(slot(collector::nvtx::kRangePop));
        return call ? call() : -1;
    }

private:
    template <typename F>
    void find(F &function, const char *name)
    {
        function = reinterpret_cast<F>(dlsym(m_library, name));
        if (!function) {
            std::fprintf(stderr, "no %s\n", name);
            std::exit(1);
        }
    }
    static collector::nvtx::Function slot(unsigned id)
    {
        return *const_cast<const volatile collector::nvtx::Function *>(&s_functions[id]);
    }
    static int functionsOf(uint32_t module, collector::nvtx::Function ***table, unsigned *count)
    {
        *table = s_places.data();
        *count = module == collector::nvtx::kCore ? s_places.size() : 0;
        return *count > 0;
    }

    static inline std::array<collector::nvtx::Function, 16> s_functions;
    static inline std::array<collector::nvtx::Function *, 16> s_places;
    static constexpr collector::nvtx::Callbacks kCallbacks{sizeof(collector::nvtx::Callbacks), functionsOf};
    void *m_library;
};

} // namespace riffle::bench
