// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "riffle/collector.h"

#include "collector/src/engine.h"
#include "collector/src/sources/every_call.h"
#include "collector/src/sources/itt.h"
#include "collector/src/sources/paddle_events.h"
#include "collector/src/sources/python_stacks.h"
#include "riffle/wire.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

namespace riffle::collector {

namespace {

thread_local char t_error[512];

int say(const Answer &answer)
{
    std::snprintf(t_error, sizeof(t_error), "%s", answer.error.c_str());
    return answer.code;
}

/// Runs a call and returns its code. No exception leaves the library.
template <typename F>
int guarded(F call)
{
    try {
        return say(call());
    } catch (const std::exception &) {
        return say({RIFFLE_EIO, "Out of memory."});
    }
}

/// The same for a call that uses the engine; an error if nothing was ever started.
template <typename F>
int withEngine(F call)
{
    return guarded([&]() -> Answer {
        Engine *engine = Engine::existing();
        return engine ? call(*engine) : Answer{RIFFLE_ESTATE, "Recording has not been started."};
    });
}

std::string_view view(const char *text) { return text ? std::string_view(text) : std::string_view(); }

/// The calling thread's log while recording or paused; otherwise null.
ThreadLog *log(bool &records)
{
    Engine *engine = Engine::existing();
    if (!engine || !engine->follows())
        return nullptr;
    records = engine->records();
    ThreadLog *found = engine->threadLog();
    if (!found)
        engine->lose();
    return found;
}

void push(std::string_view name, std::string_view category)
{
    Engine *engine = Engine::existing();
    if (!engine)
        return;
    if (!engine->follows()) {
        if (ThreadLog *to = engine->knownLog())
            to->push(false, nullptr, name, category); // so that a later recording knows what is open
        return;
    }
    engine->began(name);
    if (ThreadLog *to = engine->threadLog())
        to->push(engine->records(), nullptr, name, category, 0, 0, 0, engine->pythonStacks());
    else
        engine->lose();
}

} // namespace

} // namespace riffle::collector

using namespace riffle::collector;
namespace wire = riffle::wire;

extern "C" {

int riffle_abi_version(void) { return RIFFLE_ABI_VERSION; }
const char *riffle_last_error(void) { return t_error; }

int riffle_start(const char *text)
{
    return guarded([&]() -> Answer {
        Options options;
        std::string error;
        if (!readOptions(view(text), options, error))
            return {RIFFLE_EINVAL, error};
        return Engine::get().start(options);
    });
}
int riffle_stop(void)
{
    return withEngine([](Engine &engine) { return engine.stop(); });
}
void riffle_close(void)
{
    withEngine([](Engine &engine) {
        engine.controlServer().close();
        return engine.stop();
    });
}
int riffle_pause(void)
{
    return withEngine([](Engine &engine) { return engine.pause(true); });
}
int riffle_resume(void)
{
    return withEngine([](Engine &engine) { return engine.pause(false); });
}
int riffle_flush(void)
{
    return withEngine([](Engine &engine) { return engine.flush(); });
}
int riffle_yield_cuda(void)
{
    return guarded([] { return Engine::get().yieldCuda(); });
}
int riffle_resume_cuda(void)
{
    return guarded([] { return Engine::get().resumeCuda(); });
}
void riffle_will_yield_cuda(void)
{
    guarded([] { return Engine::get().willYieldCuda(); });
}
int riffle_dump(const char *path)
{
    return withEngine([&](Engine &engine) { return engine.dump(std::string(view(path))); });
}

int riffle_python_stacks(int allow)
{
    return guarded([&]() -> Answer {
        if (!allow) {
            removeEveryCall();
            forbidPythonStacks();
            return {};
        }
        const std::string why = allowPythonStacks();
        return {why.empty() ? RIFFLE_OK : RIFFLE_EOPTION, why};
    });
}

int riffle_python_calls(const char *prefixes)
{
    return guarded([&]() -> Answer {
        if (!prefixes) {
            removeEveryCall();
            return {};
        }
        const EveryCallAnswer said = installEveryCall(prefixes);
        return {said.why.empty() ? RIFFLE_OK : said.isNone ? RIFFLE_EOPTION : RIFFLE_ESTATE, said.why};
    });
}
int riffle_python_calls_join(void)
{
    return guarded([]() -> Answer { return {joinEveryCall() ? RIFFLE_OK : RIFFLE_ESTATE, {}}; });
}

void riffle_range_push(const char *name) { push(view(name), wire::kUserCategory); }
void riffle_range_push_category(const char *name, const char *category) { push(view(name), view(category)); }
void riffle_range_pop(void)
{
    if (Engine *engine = Engine::existing())
        if (ThreadLog *to = engine->knownLog())
            to->pop(nullptr);
}
int riffle_range_depth(void)
{
    bool records = false;
    ThreadLog *of = log(records);
    return of ? of->depth(nullptr) : -1;
}
void riffle_mark(const char *name)
{
    bool records = false;
    if (ThreadLog *to = log(records); to && records)
        to->add(RecordKind::Mark, nullptr, view(name), wire::kUserCategory);
}
void riffle_counter(const char *name, const char *series, double value)
{
    bool records = false;
    if (ThreadLog *to = log(records); to && records)
        to->add(RecordKind::Counter, nullptr, view(name), view(series), 0, std::bit_cast<uint64_t>(value));
}
void riffle_step(int64_t number)
{
    if (Engine *engine = Engine::existing())
        engine->step(number);
}
void riffle_gap_begin(const char *source, const char *reason)
{
    bool records = false;
    if (ThreadLog *to = log(records))
        to->add(RecordKind::GapBegin, nullptr, view(reason), view(source));
}
void riffle_gap_end(const char *source)
{
    bool records = false;
    if (ThreadLog *to = log(records))
        to->add(RecordKind::GapEnd, nullptr, {}, view(source));
}
int riffle_paddle_events(const char *categories)
{
    return guarded([&]() -> Answer {
        if (categories)
            return followPaddle(categories);
        leavePaddle();
        return {};
    });
}
int riffle_itt_connected() { return isIttConnected(); }
void riffle_process_info(const char *key, const char *value)
{
    bool records = false;
    if (ThreadLog *to = log(records))
        to->add(RecordKind::ProcessInfo, nullptr, view(key), view(value));
}

const struct riffle_wishes *riffle_agent_wishes(void)
{
    guarded([]() -> Answer {
        Engine::get().agent().expect(true);
        return {};
    });
    return AgentChannel::published();
}
void riffle_agent_says(uint32_t changes, const char *text)
{
    if (Engine *engine = Engine::existing())
        guarded([&]() -> Answer {
            engine->agent().says(changes, text);
            return {};
        });
}
void riffle_agent_ends(void)
{
    if (Engine *engine = Engine::existing())
        engine->agent().ends();
}

int riffle_get_stats(struct riffle_stats *stats)
{
    if (!stats || stats->size < sizeof(uint32_t))
        return say({RIFFLE_EINVAL, "The struct for the statistics is missing or too small."});
    return guarded([&]() -> Answer {
        const Statistics now = Engine::existing() ? Engine::existing()->statistics() : Statistics{};
        riffle_stats full{};
        full.size = std::min<uint32_t>(stats->size, sizeof(full));
        full.state = static_cast<int32_t>(now.state);
        full.events = now.events;
        full.dropped = now.dropped;
        full.bytes_written = now.bytesWritten;
        full.bytes_kept = now.bytesKept;
        full.buffer_bytes = now.bufferBytes;
        full.threads = now.threads;
        std::snprintf(full.path, sizeof(full.path), "%s", now.path.c_str());
        std::memcpy(stats, &full, full.size);
        return {};
    });
}
}
