// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/event_difference.h"

#include <cstring>
#include <memory>

namespace riffle::test {

namespace {

template <typename Array, typename Same>
std::string arrayDifference(const char *what, uint64_t seenA, uint64_t seenB, const Array &a, const Array &b, Same same)
{
    if (seenA != seenB)
        return std::string("which ") + what + " are there";
    for (size_t i = 0; i < a.size(); ++i)
        if ((seenA >> i & 1) && !same(a[i], b[i]))
            return std::string(what) + ' ' + std::to_string(i);
    return {};
}

} // namespace

std::string recordDifference(const EventRecord &a, const EventRecord &b)
{
    using TimeState = EventRecord::TimeState;
    const auto timeless = [](TimeState state) { return state == TimeState::Absent || state == TimeState::Bad; };
    const auto equal = [](const auto &x, const auto &y) { return x == y; };
    const auto bits = [](float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0; };
    if (a.phase != b.phase)
        return "phase";
    if (a.category != b.category)
        return "category";
    if (a.name != b.name || a.hasName != b.hasName)
        return "name";
    if (a.pid != b.pid || a.tid != b.tid || a.id != b.id)
        return "pid, tid or id";
    if (a.asyncScope != b.asyncScope || a.bindPoint != b.bindPoint || a.scope != b.scope)
        return "scope or binding point";
    if (a.tsState != b.tsState || (!timeless(a.tsState) && a.ts != b.ts))
        return "ts";
    if (a.durState != b.durState || (!timeless(a.durState) && a.dur != b.dur))
        return "dur";
    if (a.hasArgs != b.hasArgs)
        return "args";
    if (a.wrongTypes != b.wrongTypes || a.outOfRange != b.outOfRange || a.duplicates != b.duplicates)
        return "counts of oddities";
    if ((a.intUnsigned & a.intSeen) != (b.intUnsigned & b.intSeen))
        return "signs";
    std::string difference = arrayDifference("integers", a.intSeen, b.intSeen, a.ints, b.ints, equal);
    if (difference.empty())
        difference = arrayDifference("hashes", a.hashSeen, b.hashSeen, a.hashes, b.hashes, equal);
    if (difference.empty())
        difference = arrayDifference("texts", a.textSeen, b.textSeen, a.texts, b.texts, equal);
    if (difference.empty())
        difference = arrayDifference("floats", a.floatSeen, b.floatSeen, a.floats, b.floats, bits);
    if (difference.empty())
        difference = arrayDifference("vectors", a.vectorSeen, b.vectorSeen, a.vectors, b.vectors, equal);
    return difference;
}

ReaderPair::Answer ReaderPair::read(std::string_view text)
{
    const std::unique_ptr<char[]> copy(new char[text.size()]);
    std::memcpy(copy.get(), text.data(), text.size());
    EventRecord fast, strict;
    fast.clear();
    strict.clear();
    Answer answer;
    const char *end = m_fast.read(copy.get(), copy.get() + text.size(), fast);
    if (!end)
        return answer;
    answer.fast = true;
    answer.length = static_cast<size_t>(end - copy.get());
    if (answer.length > text.size())
        answer.difference = "the fast reader went beyond the text";
    else if (!m_strict.read({copy.get(), answer.length}, strict))
        answer.difference = "the strict reader declines";
    else
        answer.difference = recordDifference(fast, strict);
    return answer;
}

} // namespace riffle::test
