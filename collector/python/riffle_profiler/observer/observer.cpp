// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Hands PyTorch's operators over to Riffle's library. It is not part of Riffle's build: the Python package compiles it
// on the user's machine, against the headers of the PyTorch that the program uses (_observer_build.py), and loads it
// into the process. It links neither to Riffle's library nor to Python.
//
// The callback is a global one of PyTorch and not one of a thread. So it can come and go at any time, on any thread and
// within any range, it reaches all threads that run operators, and nothing is copied into the state of each thread that
// works for a backward pass. PyTorch keeps the callbacks of a range in the range, so each start has its end, also after
// an exception and after the callback has been disabled. PyTorch catches what a callback throws; these throw nothing.

#ifndef NDEBUG
#error "Compile with -DNDEBUG, as PyTorch is: its structs have other members otherwise."
#endif

#ifndef RIFFLE_NO_COLLECTIVES // of a PyTorch without process groups, or with others
#include <collectives.h>
#endif
#include <input_texts.h>

#include <ATen/record_function.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>

namespace {

// The same structs as in riffle/collector.h, which says what the members mean.
struct Operator {
    uint32_t size;
    uint32_t isRange;
    int64_t sequence;
    uint64_t forwardThread;
    uint64_t id;
    const char *name;
    const char *inputs[4];
    uint32_t inputBytes[4];
};
struct CollectiveCall {
    uint32_t size;
    int64_t sequence;
    const char *operation, *dataType, *group, *description, *ranks, *inSplit, *outSplit;
    int64_t inElements, outElements, groupSize, rank, source, destination;
};
struct Functions {
    uint32_t size;
    void (*begin)(const Operator *);
    void (*end)();
    void (*start)(const Operator *);
    void (*finish)(uint64_t id);
    void (*collective)(const CollectiveCall *);
};

std::mutex s_switching;          // guards the next two
at::CallbackHandle s_handles[2]; // without and with inputs; PyTorch keeps what is disabled
int s_on = -1;                   // the one that is enabled
char s_library[4096];            // its path, from before the first operator is observed
std::mutex s_loading;            // guards s_isLoaded
bool s_isLoaded = false;
std::atomic<bool> s_isForked{false}; // this is a child of the process that has started to observe
std::atomic<const Functions *> s_functions{nullptr};

/// Loads Riffle's library with the first operator, as NVTX does: a process that runs none should not record anything.
/// Returns null if it is not there, or not the one that this file was written for.
const Functions *load() noexcept
{
    std::scoped_lock lock(s_loading);
    if (s_isLoaded)
        return s_functions;
    s_isLoaded = true;
    if (void *library = dlopen(s_library, RTLD_NOW | RTLD_LOCAL))
        if (void *symbol = dlsym(library, "riffle_observer_functions")) {
            const Functions *functions = reinterpret_cast<const Functions *(*)()>(symbol)();
            if (functions && functions->size >= sizeof(Functions))
                s_functions.store(functions, std::memory_order_release);
        }
    return s_functions;
}

/// The memory of a thread. It knows its open ranges by their ids.
struct Thread {
    static constexpr uint32_t kDepth = 1024;
    uint32_t depth = 0;
    uint64_t open[kDepth];
    riffle_observer::InputTexts inputs;
};

/// Memory for a thread is made when it runs its first operator, and freed when it ends; it has none after that.
thread_local Thread *t_thread = nullptr;
thread_local bool t_isMade = false;
struct ThreadEnd {
    ~ThreadEnd()
    {
        delete t_thread;
        t_thread = nullptr;
    }
};
Thread *thisThread()
{
    if (!t_isMade) {
        t_isMade = true;
        thread_local ThreadEnd t_end;
        (void)t_end;
        t_thread = new (std::nothrow) Thread;
    }
    return t_thread;
}

#ifndef RIFFLE_NO_COLLECTIVES
void tellCollective(const Functions &functions, const at::RecordFunction &function, bool hasInputs) noexcept
{
    try {
        riffle_observer::Collective made;
        if (!made.read(function, hasInputs))
            return;
        const CollectiveCall call{sizeof(call),
                                  made.sequence,
                                  made.operation.c_str(),
                                  made.dataType.c_str(),
                                  made.group.c_str(),
                                  made.description.c_str(),
                                  made.ranks.c_str(),
                                  made.inSplit.c_str(),
                                  made.outSplit.c_str(),
                                  made.inElements,
                                  made.outElements,
                                  made.groupSize,
                                  made.rank,
                                  made.source,
                                  made.destination};
        functions.collective(&call);
    } catch (...) { // The call stays without a description.
    }
}
#endif

template <bool kInputs>
std::unique_ptr<at::ObserverContext> begins(const at::RecordFunction &function)
{
    if (s_isForked.load(std::memory_order_relaxed))
        return nullptr;
    const Functions *functions = s_functions.load(std::memory_order_acquire);
    if (!functions)
        functions = load();
    Thread *thread = thisThread();
    if (!functions || !thread || (thread->depth >= Thread::kDepth && !function.isAsync()))
        return nullptr;
    Operator op{sizeof(Operator),
                function.scope() == at::RecordScope::USER_SCOPE,
                function.seqNr(),
                function.forwardThreadId(),
                function.handle(),
                function.name(),
                {},
                {}};
    if (kInputs && function.num_inputs() > 0) {
        try {
            thread->inputs.write(function);
            for (size_t at = 0; at < 4; ++at) {
                op.inputs[at] = thread->inputs.text(at).data();
                op.inputBytes[at] = static_cast<uint32_t>(thread->inputs.text(at).size());
            }
        } catch (...) { // a tensor that does not say its sizes; the range is recorded without
            std::fill(std::begin(op.inputBytes), std::end(op.inputBytes), 0);
        }
    }
    if (function.isAsync()) {
        functions->start(&op);
    } else {
        thread->open[thread->depth++] = op.id;
        functions->begin(&op);
#ifndef RIFFLE_NO_COLLECTIVES
        if (riffle_observer::Collective::mayBe(op.name))
            tellCollective(*functions, function, kInputs);
#endif
    }
    return nullptr;
}

void ends(const at::RecordFunction &function, at::ObserverContext *)
{
    const Functions *functions = s_functions.load(std::memory_order_acquire);
    Thread *thread = thisThread();
    const uint64_t id = function.handle();
    if (!functions || s_isForked.load(std::memory_order_relaxed))
        return;
    if (function.isAsync())
        functions->finish(id);
    if (!thread)
        return;
    // A range that ends on another thread than it has started on is not found there. It ends with the range around it,
    // and so does one that the program leaves in another order.
    uint32_t depth = thread->depth;
    while (depth > 0 && thread->open[depth - 1] != id)
        --depth;
    for (; depth > 0 && thread->depth >= depth; --thread->depth)
        functions->end();
}

} // namespace

extern "C" {

/// Starts to hand over operators to the library at this path, with their inputs if `inputs` is 1. Returns 0 on success.
__attribute__((visibility("default"))) int riffle_observer_start(const char *library, int inputs) noexcept
{
    if (!library || std::strlen(library) >= sizeof(s_library) || inputs < 0 || inputs > 1)
        return 1;
    try {
        std::scoped_lock lock(s_switching);
        if (!s_library[0])
            std::strcpy(s_library, library);
        s_isForked.store(false, std::memory_order_relaxed);
        if (s_on >= 0 && s_on != inputs)
            at::disableCallback(s_handles[s_on]);
        if (!s_handles[inputs])
            s_handles[inputs] =
                at::addGlobalCallback(at::RecordFunctionCallback(inputs ? &begins<true> : &begins<false>, &ends)
                                          .needsInputs(inputs)
                                          .needsIds(true));
        else if (s_on != inputs)
            at::reenableCallback(s_handles[inputs]);
        s_on = inputs;
    } catch (...) {
        return 1;
    }
    return 0;
}

/// Ends the observation in a forked child. PyTorch's lock of its callbacks may have been held by a thread that the
/// child does not have, so the callback stays and does nothing.
__attribute__((visibility("default"))) void riffle_observer_forked() noexcept
{
    s_isForked.store(true, std::memory_order_relaxed);
    new (&s_switching) std::mutex;
    new (&s_loading) std::mutex;
}

__attribute__((visibility("default"))) void riffle_observer_stop() noexcept
{
    try {
        std::scoped_lock lock(s_switching);
        if (s_on >= 0)
            at::disableCallback(s_handles[s_on]);
        s_on = -1;
    } catch (...) {
    }
}
}
