// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/load.h"

#include "collector/src/engine.h"
#include "collector/src/options.h"
#include "collector/src/sources/python_stacks.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <mutex>
#include <string>
#include <unistd.h>

namespace riffle::collector {

namespace {

/// Sets the path by which NVTX finds us, for modules that first use NVTX after we were loaded in another way.
void announceToNvtx()
{
    Dl_info self{};
    if (dladdr(reinterpret_cast<void *>(&startIfAsked), &self) && self.dli_fname && self.dli_fname[0] == '/')
        setenv("NVTX_INJECTION64_PATH", self.dli_fname, 0);
}

__attribute__((constructor)) void loaded()
{
    announceToNvtx();
    startIfAsked();
}

__attribute__((destructor)) void unloaded() { riffle_close(); }

} // namespace

void startIfAsked()
{
    static std::once_flag once;
    std::call_once(once, [] {
        // Our Python part sets these variables when PyTorch is imported, or before.
        const auto isOurs = [](const char *name) {
            const char *value = std::getenv(name);
            return value && value == std::to_string(getpid());
        };
        const bool isPython = isOurs("RIFFLE_YIELDS");
        if (isPython)
            Engine::get().willYieldCuda();
        if (isOurs("RIFFLE_CHANNEL"))
            Engine::get().agent().expect(false);
        const char *text = std::getenv("RIFFLE_OPTIONS");
        if (!text)
            return;
        std::string error;
        try {
            Options options;
            if (readOptions(text, options, error))
                error = Engine::get().start(options).error;
            if (options.stacks != StacksWay::None && isPython) // it also ends the walks before the interpreter does
                allowPythonStacksSoon();
            if (options.stacks == StacksWay::Calls && isPython) // the Python part records calls from now on
                Engine::get().agent().ring();
        } catch (const std::exception &exception) {
            error = exception.what();
        }
        if (!error.empty())
            std::fprintf(stderr, "riffle: Recording did not start: %s\n", error.c_str());
    });
}

} // namespace riffle::collector

/// The CUDA driver calls this function in the library that CUDA_INJECTION64_PATH names.
extern "C" __attribute__((visibility("default"))) int InitializeInjection()
{
    using namespace riffle::collector;
    startIfAsked();
    if (Engine *engine = Engine::existing())
        engine->armCuda(true);
    return 1;
}
