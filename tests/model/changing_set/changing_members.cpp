// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/changing_set/changing_members.h"

#include "model/analysis/search/moved_references.h"
#include "model/base/memory_use.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace riffle::test {

namespace {

/// The parts of a slice that a user sees: its lane, its place in it, and its name.
std::string whatIs(const Trace &trace, SliceId id)
{
    const std::optional<Slice> slice = trace.slice(id);
    if (!slice)
        return "nothing";
    return fmt::format("{} {} {} {}", trace.laneName(slice->lane), slice->row, slice->data.start,
                       trace.string(slice->data.name));
}

} // namespace

ChangingMembers::~ChangingMembers()
{
    for (Opening &opening : m_openings)
        opening.stop.request_stop(); // the futures wait for the ends
}

std::shared_ptr<const SetFacts> ChangingMembers::facts() const
{
    const std::scoped_lock lock(m_mutex);
    return m_facts;
}

std::optional<TraceId> ChangingMembers::anyMember(bool isLoaded)
{
    std::vector<TraceId> ids;
    for (const TraceMember &member : m_facts->set().members())
        if (!isLoaded || member.state == MemberState::Loaded)
            ids.push_back(member.id);
    return ids.empty() ? std::nullopt : std::optional(ids[below(ids.size())]);
}

void ChangingMembers::publish(TraceSet set, TraceId changed)
{
    const std::shared_ptr<const SetFacts> before = m_facts;
    auto now = std::make_shared<const SetFacts>(std::move(set), before.get());
    checkOthers(before->set(), now->set(), changed);
    movePointers(before->set(), now->set());
    const std::scoped_lock lock(m_mutex);
    m_facts = std::move(now);
}

void ChangingMembers::checkOthers(const TraceSet &before, const TraceSet &now, TraceId changed) const
{
    for (const TraceMember &member : before.members()) {
        if (member.id == changed)
            continue;
        const TraceMember *after = now.member(member.id);
        ASSERT_TRUE(after) << "a change of one member removes another one";
        EXPECT_EQ(*after, member);
        EXPECT_EQ(now.trace(member.id), before.trace(member.id));
        EXPECT_EQ(now.time(member.id), before.time(member.id));
    }
    std::vector<TraceId> loaded;
    for (const TraceMember &member : now.members())
        if (member.state == MemberState::Loaded)
            loaded.push_back(member.id);
    EXPECT_EQ(now.loadedOf({}), loaded) << "the order is that of the members";
    EXPECT_GE(now.idsEnd(), before.idsEnd());
}

void ChangingMembers::movePointers(const TraceSet &before, const TraceSet &now)
{
    const MovedReferences moved(before, now);
    for (Pointer &pointer : m_pointers) {
        pointer.slice = moved.now(pointer.slice);
        if (const Trace *trace = now.trace(pointer.slice.trace)) {
            EXPECT_EQ(whatIs(*trace, pointer.slice.slice), pointer.what);
        }
    }
    std::erase_if(m_pointers, [](const Pointer &pointer) { return !pointer.slice.valid(); });
    for (const LoadedTrace &member : now.loaded()) {
        const Trace *was = before.trace(member.id);
        const SliceRef first{member.id, SliceId(0)};
        if (was && StressFiles::labelOf(*was) == StressFiles::labelOf(*member.trace)) {
            EXPECT_EQ(moved.now(first), first) << "the same file has the same slices, however it is read";
        }
    }
}

/// Points at a slice from now on, in place of an older pointer.
void ChangingMembers::point()
{
    const std::optional<TraceId> id = anyMember(true);
    if (!id)
        return;
    const Trace &trace = *m_facts->set().trace(*id);
    const SliceId slice(static_cast<uint32_t>(below(trace.sliceCount())));
    m_pointers.push_back({{*id, slice}, whatIs(trace, slice)});
    if (m_pointers.size() > 20)
        m_pointers.erase(m_pointers.begin());
    m_unloadOrder.looked(*id);
}

void ChangingMembers::change()
{
    takeOpened();
    point();
    const std::optional<TraceId> any = anyMember(false), loaded = anyMember(true);
    const size_t members = m_facts->set().members().size();
    const size_t kind = members < 2 ? 0 : below(12);
    if (kind < 2) {
        if (members < kMostMembers && m_openings.size() < kMostOpenings)
            add();
    } else if (kind == 2) {
        remove(*any);
    } else if (kind == 3) {
        unload();
    } else if (kind == 4) {
        TraceSet set = m_facts->set();
        set.move(*any, below(members + 1));
        publish(std::move(set), *any);
    } else if (kind < 8) {
        if (kind == 5)
            m_files.rewrite(below(StressFiles::kTraces));
        loadAgain(*any);
    } else if (kind == 8) {
        cancel(*any);
    } else if (loaded) {
        kind == 9 ? store(*loaded) : setTime(*loaded);
    }
}

void ChangingMembers::add()
{
    const size_t file = below(StressFiles::kAll);
    TraceSet set = m_facts->set();
    const TraceId id = set.expect(m_files.path(file));
    publish(std::move(set), id);
    open(id, m_files.path(file));
}

/// Reads the file of a member on a thread of its own, from a store or not.
void ChangingMembers::open(TraceId id, std::string path)
{
    cancel(id);
    StorePolicy policy;
    if (below(2))
        policy.folder = StoreFolder(m_files.storeFolder());
    Opening opening{id, {}, {}};
    opening.result = std::async(std::launch::async, [path, policy, stop = opening.stop.get_token()] {
        return openTrace(path, {}, policy, {stop, nullptr});
    });
    m_openings.push_back(std::move(opening));
}

/// Stores a member and exchanges it for its store.
void ChangingMembers::store(TraceId id)
{
    const OpenedTrace &opened = std::as_const(m_opened)[id];
    if (!opened.storeWanted)
        return;
    cancel(id);
    Opening opening{id, {}, {}};
    opening.result =
        std::async(std::launch::async, [opened, folder = m_files.storeFolder(), stop = opening.stop.get_token()] {
            return exchangeForStored(opened, StoreFolder(folder), {stop, nullptr});
        });
    m_openings.push_back(std::move(opening));
}

void ChangingMembers::takeOpened()
{
    for (size_t at = 0; at < m_openings.size();) {
        if (m_openings[at].result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            ++at;
            continue;
        }
        Opening opening = std::move(m_openings[at]);
        m_openings.erase(m_openings.begin() + static_cast<std::ptrdiff_t>(at));
        Result<OpenedTrace> result = opening.result.get();
        take(opening, std::move(result));
    }
}

void ChangingMembers::take(const Opening &opening, Result<OpenedTrace> result)
{
    const TraceMember *member = m_facts->set().member(opening.id);
    if (opening.stop.stop_requested() || !member)
        return;
    if (!result &&
        member->state == MemberState::Loaded) // its store could not be written, or its file not be read again
        return;
    TraceSet set = m_facts->set();
    if (result) {
        set.load(opening.id, result->trace);
        m_traces.push_back(result->trace);
        m_opened[opening.id] = std::move(*result);
    } else {
        EXPECT_TRUE(member->path.ends_with("broken.json") || member->path.ends_with("missing.json"))
            << result.error().text();
        set.fail(opening.id, result.error().text());
    }
    publish(std::move(set), opening.id);
}

/// Stops what is being read for a member, which stays as it is otherwise.
void ChangingMembers::cancel(TraceId id)
{
    for (Opening &opening : m_openings)
        if (opening.id == id)
            opening.stop.request_stop();
    const TraceMember *member = m_facts->set().member(id);
    if (!member || member->state != MemberState::Loading)
        return;
    TraceSet set = m_facts->set();
    set.unload(id);
    publish(std::move(set), id);
}

/// Reads the file of a member again; a trace that is loaded stays until then.
void ChangingMembers::loadAgain(TraceId id)
{
    if (m_openings.size() >= kMostOpenings)
        return;
    cancel(id);
    TraceSet set = m_facts->set();
    if (set.member(id)->state != MemberState::Loaded) {
        set.expectAgain(id);
        publish(std::move(set), id);
    }
    open(id, m_facts->set().member(id)->path);
}

void ChangingMembers::remove(TraceId id)
{
    cancel(id);
    TraceSet set = m_facts->set();
    set.remove(id);
    publish(std::move(set), id);
    m_opened.erase(id);
}

void ChangingMembers::unload()
{
    const auto id = m_unloadOrder.next(m_facts->set(), memoryInUse() + 1, 0);
    if (!id)
        return;
    TraceSet set = m_facts->set();
    set.unload(*id);
    publish(std::move(set), *id);
    m_opened.erase(*id);
}

/// Shifts a member, by less than a microsecond, by milliseconds or by days; its clock may drift.
void ChangingMembers::setTime(TraceId id)
{
    constexpr std::array<uint64_t, 3> kShifts{900, 50'000'000, 200'000'000'000'000};
    TraceSet set = m_facts->set();
    const uint64_t most = kShifts[below(kShifts.size())];
    const Ns shift = static_cast<Ns>(m_random() % (2 * most)) - static_cast<Ns>(most);
    const TimeSpan span = set.trace(id)->span;
    std::vector<TimeMap::Knot> knots{{span.begin, span.begin + shift}};
    if (below(2)) {
        const Ns drift = static_cast<Ns>(below(2'000)) - 1'000;
        knots.push_back({span.end + 10'000, span.end + 10'000 + shift + drift});
    }
    set.setTime(id, TimeMap(std::move(knots)));
    publish(std::move(set), id);
}

} // namespace riffle::test
