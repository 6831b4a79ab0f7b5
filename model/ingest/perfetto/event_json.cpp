// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/event_json.h"

#include "model/base/quoted_text.h"
#include "model/ingest/perfetto/fields.h"
#include "model/ingest/perfetto/wire_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace riffle {

using namespace perfetto;

namespace {

/// A packet may become this much text. Small packets can name long texts many times, and have many flows and samples.
constexpr size_t kLongestText = 32 << 20;
constexpr size_t kLongestCategory = 64 << 10;
constexpr int kDeepest = 1000; ///< levels of nested annotations that are read, as in Chrome JSON

/// Reads a repeated number, which may be packed into bytes.
void addNumbers(const WireField &field, size_t bytesEach, std::vector<uint64_t> &into)
{
    if (!field.isBytes()) {
        into.push_back(field.value);
        return;
    }
    std::string_view rest = field.bytes;
    while (!rest.empty()) {
        if (bytesEach == 0) {
            const auto value = takeVarint(rest);
            if (!value)
                return;
            into.push_back(*value);
            continue;
        }
        uint64_t value = 0;
        for (size_t at = 0; at < std::min(bytesEach, rest.size()); ++at)
            value |= static_cast<uint64_t>(static_cast<unsigned char>(rest[at])) << (8 * at);
        into.push_back(value);
        rest.remove_prefix(std::min(bytesEach, rest.size()));
    }
}

} // namespace

bool TrackEventFields::read(std::string_view message)
{
    *this = {};
    WireReader reader(message);
    while (const auto field = reader.next()) {
        switch (field->number) {
        case event::kType: type = field->value; break;
        case event::kTrack: track = field->value; break;
        case event::kNameIid: nameIid = field->value; break;
        case event::kName: name = field->bytes; break;
        case event::kCategory: categories.push_back(field->bytes); break;
        case event::kCategoryIid: addNumbers(*field, 0, categoryIids); break;
        case event::kAnnotation: annotations.push_back(field->bytes); break;
        case event::kCounterValue: counter = field->signedValue(); break;
        case event::kDoubleValue: realCounter = field->real(); break;
        case event::kFlow: addNumbers(*field, 8, flows); break;
        case event::kTerminatingFlow: addNumbers(*field, 8, lastFlows); break;
        case event::kOldFlow: addNumbers(*field, 0, flows); break;
        case event::kOldTerminatingFlow: addNumbers(*field, 0, lastFlows); break;
        default: break;
        }
    }
    return !reader.broken();
}

bool EventJson::full()
{
    if (m_out.size() <= kLongestText)
        return false;
    m_report.add(Trouble::OversizedEvent, m_offset, "A packet with too much text");
    return true;
}

void EventJson::begin(char phase)
{
    m_out += m_any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"";
    m_out += phase;
    m_out += "\",";
    m_any = true;
}

void EventJson::key(std::string_view name)
{
    appendJsonString(m_out, name);
    m_out += ':';
}

/// Appends nanoseconds as microseconds with three decimals, which is exact.
void EventJson::time(std::string_view name, Ns time)
{
    key(name);
    const uint64_t size = time < 0 ? 0 - static_cast<uint64_t>(time) : static_cast<uint64_t>(time);
    fmt::format_to(std::back_inserter(m_out), "{}{}.{:03}", time < 0 ? "-" : "", size / 1000, size % 1000);
}

std::string EventJson::interned(InternedNames::Kind kind, uint64_t iid)
{
    if (full())
        return {};
    if (const std::string *text = m_names->find(kind, iid))
        return *text;
    m_report.add(Trouble::UnknownString, m_offset, fmt::format("Text {} of kind {}", iid, static_cast<int>(kind)));
    return fmt::format("(text {})", iid);
}

void EventJson::names(const PerfettoTracks &tracks, uint32_t track)
{
    std::string text;
    tracks.appendNames(text, track);
    if (text.empty())
        return;
    m_out += m_any ? ",\n" : "\n";
    m_out += text;
    m_any = true;
}

void EventJson::head(const TrackEventFields &event, const PerfettoTracks &tracks, uint32_t track)
{
    std::string category;
    const auto add = [&](std::string_view name) {
        category += category.empty() ? "" : ",";
        category += name;
    };
    for (const uint64_t iid : event.categoryIids)
        if (category.size() < kLongestCategory)
            add(interned(InternedNames::Kind::Category, iid));
    for (const std::string_view name : event.categories)
        add(name);
    key("cat");
    appendJsonString(m_out, category);
    m_out += ',';
    key("name");
    appendJsonString(m_out, event.nameIid ? interned(InternedNames::Kind::Event, event.nameIid) : event.name);
    m_out += ',';
    tracks.appendPlace(m_out, track);
}

void EventJson::slice(const TrackEventFields &event, const PerfettoTracks &tracks, uint32_t track, Ns begins,
                      std::optional<Ns> duration)
{
    begin(duration ? 'X' : 'B');
    head(event, tracks, track);
    time("ts", begins);
    if (duration) {
        m_out += ',';
        time("dur", *duration);
    }
    arguments(event);
    m_out += '}';
}

void EventJson::instant(const TrackEventFields &event, const PerfettoTracks &tracks, uint32_t track, Ns at)
{
    begin('i');
    head(event, tracks, track);
    time("ts", at);
    m_out += ",\"s\":\"t\"";
    arguments(event);
    m_out += '}';
}

void EventJson::counter(const PerfettoTracks &tracks, uint32_t track, Ns at, double amount)
{
    begin('C');
    key("name");
    appendJsonString(m_out, tracks.name(track));
    m_out += ',';
    tracks.appendPlace(m_out, track, false);
    time("ts", at);
    fmt::format_to(std::back_inserter(m_out), R"(,"args":{{"value":{}}}}})", std::isfinite(amount) ? amount : 0.0);
}

void EventJson::flow(char phase, uint64_t id, const PerfettoTracks &tracks, uint32_t track, Ns at)
{
    if (full())
        return;
    begin(phase);
    fmt::format_to(std::back_inserter(m_out), R"("id":{},"cat":"flow","name":"flow",{})", id,
                   phase == 'f' ? R"("bp":"e",)" : "");
    tracks.appendPlace(m_out, track);
    time("ts", at);
    m_out += '}';
}

void EventJson::arguments(const TrackEventFields &event)
{
    if (event.annotations.empty())
        return;
    m_out += ",\"args\":{";
    for (size_t at = 0; at < event.annotations.size(); ++at) {
        m_out += at ? "," : "";
        key(nameOf(event.annotations[at]));
        value(event.annotations[at], 0);
    }
    m_out += '}';
}

std::string EventJson::nameOf(std::string_view annotation)
{
    std::string_view name;
    uint64_t iid = 0;
    WireReader reader(annotation);
    while (const auto field = reader.next()) {
        if (field->number == annotation::kName && field->isBytes())
            name = field->bytes;
        else if (field->number == annotation::kNameIid && field->isVarint())
            iid = field->value;
    }
    return iid ? interned(InternedNames::Kind::Annotation, iid) : std::string(name);
}

void EventJson::value(std::string_view annotation, int depth)
{
    char open = 0;
    WireReader reader(annotation);
    while (const auto field = reader.next()) {
        const bool isEntry = field->number == annotation::kDictEntry;
        if (!field->isBytes() || (!isEntry && field->number != annotation::kArrayValue))
            continue;
        if (depth >= kDeepest) {
            m_report.add(Trouble::DeepValue, m_offset, "A debug annotation");
            m_out += "null";
            return;
        }
        const char own = isEntry ? '{' : '[';
        if (open && own != open)
            continue; // no value is both
        m_out += open ? ',' : own;
        open = own;
        if (isEntry)
            key(nameOf(field->bytes));
        value(field->bytes, depth + 1);
    }
    if (open)
        m_out += open == '{' ? '}' : ']';
    else
        scalar(annotation);
    if (reader.broken())
        m_report.add(Trouble::WrongType, m_offset, "A damaged debug annotation");
}

void EventJson::scalar(std::string_view annotation)
{
    const auto append = [this](auto number) { fmt::format_to(std::back_inserter(m_out), "{}", number); };
    WireReader reader(annotation);
    while (const auto field = reader.next()) {
        switch (field->number) {
        case annotation::kBool: m_out += field->value ? "true" : "false"; return;
        case annotation::kUint: append(field->value); return;
        case annotation::kInt: append(field->signedValue()); return;
        case annotation::kDouble:
            if (std::isfinite(field->real()))
                append(field->real());
            else
                appendJsonString(m_out, fmt::format("{}", field->real()));
            return;
        case annotation::kPointer: appendJsonString(m_out, fmt::format("{:#x}", field->value)); return;
        case annotation::kString:
        case annotation::kJson: appendJsonString(m_out, field->bytes); return;
        case annotation::kStringIid: appendJsonString(m_out, interned(InternedNames::Kind::Text, field->value)); return;
        default: break;
        }
    }
    m_out += "null";
}

} // namespace riffle
