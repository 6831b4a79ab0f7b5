// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/paddle_events.h"

#include "collector/src/call_slots.h"
#include "collector/src/loaded_library.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

// Paddle's code makes an object of phi::RecordEvent for each operator, stage and range. Builds for CUDA can report it
// through NVTX, but builds for the CPU tell only Paddle's own profiler, which gives out its events when it stops. So we
// redirect the calls of the object's constructors and of its End(), which libpaddle and libphi make through their
// tables. Their mangled names say which arguments they take; of the object we use nothing but its address.

namespace riffle::collector {

namespace {

constexpr const char *kLibraries[]{"libpaddle", "libphi"};
constexpr const char *kFromText = "_ZN3phi11RecordEventC1EPKcNS_15TracerEventTypeEjNS_9EventRoleE";
constexpr const char *kFromString = "_ZN3phi11RecordEventC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_"
                                    "15TracerEventTypeEjNS_9EventRoleE";
constexpr const char *kEnd = "_ZN3phi11RecordEvent3EndEv";

/// The beginning of a std::string of libstdc++, whatever library we are built with.
struct PaddleString {
    const char *text;
    size_t bytes;
};

using FromText = void(void *event, const char *name, int type, uint32_t level, int role);
using FromString = void(void *event, const PaddleString *name, int type, uint32_t level, int role);
using EndOfEvent = void(void *event);

constexpr Domain kDomain{"Paddle"};
constexpr size_t kTypes = 64, kDepth = 128;

/// Paddle's own functions.
FromText *g_fromText = nullptr;
FromString *g_fromString = nullptr;
EndOfEvent *g_end = nullptr;
/// The categories by type; written once, before any event arrives. The texts are never freed, because events arrive
/// until the end.
std::array<std::string_view, kTypes> g_categories;
std::atomic<uint32_t> g_round{0}; ///< odd while events are recorded

/// The recorded events of a thread that are open. An event may outlive a round; then it ends with the next one.
struct OpenEvents {
    uint32_t round = 0, count = 0;
    std::array<const void *, kDepth> events; ///< null: has ended, but an inner one has not
};
thread_local OpenEvents t_open;

void popEvent()
{
    if (Engine *engine = Engine::existing())
        if (ThreadLog *log = engine->threadLog())
            log->pop(&kDomain);
}

void endAll(OpenEvents &open)
{
    for (; open.count > 0; --open.count)
        popEvent();
}

void begun(const void *event, std::string_view name, int type)
{
    const uint32_t round = g_round.load(std::memory_order_acquire);
    if (round % 2 == 0 || static_cast<uint32_t>(type) >= kTypes || g_categories[static_cast<size_t>(type)].empty())
        return;
    Engine *engine = Engine::existing();
    if (!engine || !engine->follows())
        return;
    engine->began(name);
    OpenEvents &open = t_open;
    if (open.round != round) {
        endAll(open);
        open.round = round;
    }
    ThreadLog *log = open.count < kDepth ? engine->threadLog() : nullptr;
    if (!log) {
        engine->lose();
        return;
    }
    log->push(engine->records(), &kDomain, name, g_categories[static_cast<size_t>(type)]);
    open.events[open.count++] = event;
}

void ended(const void *event)
{
    OpenEvents &open = t_open;
    for (uint32_t at = open.count; at > 0; --at)
        if (open.events[at - 1] == event) {
            open.events[at - 1] = nullptr;
            break;
        }
    // Ranges end in the reverse order of their starts, so an event ends when the inner ones have ended, too.
    for (; open.count > 0 && !open.events[open.count - 1]; --open.count)
        popEvent();
}

void eventFromText(void *event, const char *name, int type, uint32_t level, int role)
{
    g_fromText(event, name, type, level, role);
    begun(event, name ? name : "", type);
}
void eventFromString(void *event, const PaddleString *name, int type, uint32_t level, int role)
{
    g_fromString(event, name, type, level, role);
    begun(event, {name->text, name->bytes}, type);
}
void eventEnds(void *event)
{
    ended(event);
    g_end(event);
}

/// The places of one function's calls in all of Paddle's libraries.
class Calls {
public:
    explicit Calls(const char *symbol)
    {
        for (const char *library : kLibraries)
            m_slots.emplace_back(library, symbol);
    }
    bool empty() const
    {
        return std::all_of(m_slots.begin(), m_slots.end(), [](const CallSlots &slots) { return slots.empty(); });
    }
    template <typename F>
    bool redirect(F *function)
    {
        const auto done = [&](CallSlots &slots) { return slots.redirect(reinterpret_cast<void *>(function)); };
        return std::all_of(m_slots.begin(), m_slots.end(), done);
    }
    void restore()
    {
        for (CallSlots &slots : m_slots)
            slots.restore();
    }

private:
    std::vector<CallSlots> m_slots;
};

struct Redirected {
    Calls fromText{kFromText}, fromString{kFromString}, end{kEnd};

    void restore()
    {
        fromText.restore();
        fromString.restore();
        end.restore(); // last, so that events that have started can end
    }
};

std::mutex g_changing;
Redirected *g_redirected = nullptr; ///< null until Paddle has been found; never destroyed

void readCategories(std::string_view text)
{
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        size_t type = kTypes;
        const char *end = line.data() + line.size();
        const auto [rest, error] = std::from_chars(line.data(), end, type);
        if (error == std::errc() && type < kTypes && rest != end && *rest == '=')
            g_categories[type] = *new std::string(rest + 1, end);
    }
}

/// Finds Paddle's own functions; false if they are not there.
bool findFunctions()
{
    for (const char *library : {"libphi_core", "libphi"}) // since Paddle 3, and before
        if (void *handle = loadedHandle(library))
            if (findFunction(handle, kFromText, g_fromText) && findFunction(handle, kFromString, g_fromString) &&
                findFunction(handle, kEnd, g_end))
                return true;
    return false;
}

} // namespace

Answer followPaddle(std::string_view categories)
{
    std::scoped_lock lock(g_changing);
    if (g_round.load() % 2 == 1)
        return {};
    if (!g_redirected) {
        if (!findFunctions())
            return {RIFFLE_EOPTION, "Paddle's libraries do not have the functions by which Riffle sees its events."};
        auto found = std::make_unique<Redirected>();
        if (found->fromText.empty() || found->fromString.empty() || found->end.empty())
            return {RIFFLE_EOPTION, "Paddle's libraries report their events in a way that Riffle does not know."};
        readCategories(categories);
        g_redirected = found.release();
    }
    g_round.fetch_add(1);
    // The ends come first, so that no event starts whose end would not be seen.
    if (g_redirected->end.redirect(eventEnds) && g_redirected->fromText.redirect(eventFromText) &&
        g_redirected->fromString.redirect(eventFromString))
        return {};
    g_round.fetch_add(1);
    g_redirected->restore();
    return {RIFFLE_EOPTION, "The tables by which Paddle's libraries call each other cannot be changed."};
}

void leavePaddle()
{
    std::scoped_lock lock(g_changing);
    if (g_round.load() % 2 == 0)
        return;
    g_round.fetch_add(1);
    g_redirected->restore();
    endAll(t_open);
}

} // namespace riffle::collector
