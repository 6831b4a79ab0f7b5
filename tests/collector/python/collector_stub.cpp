// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The collector's C interface without a collector: each call writes a line to the file $RIFFLE_STUB_LOG, and the state
// changes as in the real one. $RIFFLE_STUB_REFUSE names an option that no source can provide, and $RIFFLE_STUB_FAIL a
// call that fails because the disk is full.
#include "riffle/collector.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

int state = 0;
std::string lastError;

template <typename... Values>
void say(const char *format, Values... values)
{
    const char *path = std::getenv("RIFFLE_STUB_LOG");
    FILE *file = path ? std::fopen(path, "a") : nullptr;
    if (!file)
        return;
    std::fprintf(file, format, values...);
    std::fputc('\n', file);
    std::fclose(file);
}

int fail(int code, const char *text)
{
    lastError = text;
    return code;
}

int change(const char *name, bool allowed, int to)
{
    if (!allowed)
        return fail(RIFFLE_ESTATE, "not now");
    say("%s", name);
    state = to;
    const char *failing = std::getenv("RIFFLE_STUB_FAIL");
    return failing && std::strcmp(failing, name) == 0 ? fail(RIFFLE_EIO, "no space left") : RIFFLE_OK;
}

} // namespace

extern "C" {

int riffle_abi_version() { return std::getenv("RIFFLE_STUB_ABI") ? 99 : RIFFLE_ABI_VERSION; }
const char *riffle_last_error() { return lastError.c_str(); }
int riffle_start(const char *options)
{
    const char *refused = std::getenv("RIFFLE_STUB_REFUSE");
    if (state)
        return fail(RIFFLE_ESTATE, "recording was started already");
    if (refused && std::strstr(options, refused))
        return fail(RIFFLE_EOPTION, "no source can fill that");
    std::string text = options ? options : "";
    for (char &letter : text)
        letter = letter == '\n' ? ' ' : letter;
    say("start %s", text.c_str());
    state = text.find("paused=1") == std::string::npos ? 1 : 2;
    return RIFFLE_OK;
}
int riffle_stop() { return change("stop", state != 0, 0); }
void riffle_close() {}
int riffle_pause() { return change("pause", state != 0, 2); }
int riffle_resume() { return change("resume", state != 0, 1); }
int riffle_flush() { return change("flush", state != 0, state); }
int riffle_yield_cuda() { return say("%s", "yield"), RIFFLE_OK; }
int riffle_resume_cuda() { return say("%s", "resume cuda"), RIFFLE_OK; }
void riffle_will_yield_cuda() {}
int riffle_dump(const char *path) { return say("dump %s", path), RIFFLE_OK; }
int riffle_python_stacks(int allow)
{
    say("stacks %d", allow);
    const char *refused = std::getenv("RIFFLE_STUB_REFUSE");
    return allow && refused && std::strcmp(refused, "stacks") == 0 ? fail(RIFFLE_EOPTION, "no frames can be read")
                                                                   : RIFFLE_OK;
}
int riffle_python_calls(const char *prefixes)
{
    const char *refused = std::getenv("RIFFLE_STUB_REFUSE");
    if (prefixes && refused && std::strcmp(refused, "other profile") == 0)
        return fail(RIFFLE_ESTATE, "another profile function");
    return say("%s", prefixes ? "calls" : "no calls"), RIFFLE_OK;
}
int riffle_python_calls_join() { return say("%s", "join calls"), RIFFLE_OK; }
void riffle_range_push(const char *name) { say("push %s", name); }
void riffle_range_push_category(const char *name, const char *category) { say("push %s [%s]", name, category); }
void riffle_range_pop() { say("%s", "pop"); }
int riffle_range_depth() { return 0; }
void riffle_mark(const char *name) { say("mark %s", name); }
void riffle_counter(const char *name, const char *series, double value)
{
    say("counter %s/%s %g", name, series, value);
}
void riffle_step(int64_t number) { say("step %lld", static_cast<long long>(number)); }
void riffle_gap_begin(const char *source, const char *reason) { say("gap begins: %s, %s", source, reason); }
void riffle_gap_end(const char *source) { say("gap ends: %s", source); }
int riffle_paddle_events(const char *categories)
{
    if (std::getenv("RIFFLE_STUB_NO_PADDLE"))
        return fail(RIFFLE_EOPTION, "Paddle does not report its events.");
    say("%s", categories ? "paddle events" : "no paddle events");
    return RIFFLE_OK;
}
int riffle_itt_connected() { return std::getenv("RIFFLE_STUB_NO_ITT") == nullptr; }
void riffle_process_info(const char *key, const char *value) { say("info %s=%s", key, value); }
const riffle_wishes *riffle_agent_wishes()
{
    static const riffle_wishes wishes{sizeof(riffle_wishes), 1, 0, 0, 0, 1};
    return &wishes;
}
void riffle_agent_says(uint32_t, const char *) {}
void riffle_agent_ends() {}
const riffle_operator_functions *riffle_observer_functions() { return nullptr; }
int riffle_get_stats(riffle_stats *stats)
{
    if (stats->size < sizeof(riffle_stats))
        return fail(RIFFLE_EINVAL, "wrong size");
    stats->state = state;
    stats->events = 7;
    std::snprintf(stats->path, sizeof stats->path, "/logs/stub.rifflelog");
    return RIFFLE_OK;
}
}
