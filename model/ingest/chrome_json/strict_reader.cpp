// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/strict_reader.h"

#include "model/ingest/chrome_json/event_splitter.h"

#include <simdjson.h>

#include <cstring>
#include <vector>

namespace riffle {

struct StrictReader::State {
    simdjson::dom::parser parser;
    std::vector<char> buffer;
};

StrictReader::StrictReader() : m_state(std::make_unique<State>()) {}
StrictReader::~StrictReader() = default;

namespace {

/// Reads the members of the valid object that starts at \p at into the record and returns one past the object's end.
size_t readObject(std::string_view text, size_t at, bool inArgs, EventRecord &record)
{
    at = skipJsonBlanks(text, at + 1);
    while (at < text.size() && text[at] != '}') {
        if (text[at] == ',')
            at = skipJsonBlanks(text, at + 1);
        const size_t keyEnd = endOfJsonValue(text, at, text.size());
        const std::string_view key = text.substr(at + 1, keyEnd - at - 2);
        at = skipJsonBlanks(text, skipJsonBlanks(text, keyEnd) + 1);
        EventField field = fieldOf(key, inArgs);
        if (key.find('\\') != std::string_view::npos) {
            std::string plain;
            unescapeJson(key, plain);
            field = fieldOf(plain, inArgs);
        }
        if (field.kind == EventField::Kind::Args && text[at] == '{') {
            record.set(field, {});
            at = readObject(text, at, true, record);
        } else {
            const size_t end = endOfJsonValue(text, at, text.size());
            record.set(field, text.substr(at, end - at));
            at = end;
        }
        at = skipJsonBlanks(text, at);
    }
    return at + 1;
}

} // namespace

bool StrictReader::read(std::string_view text, EventRecord &record)
{
    std::vector<char> &buffer = m_state->buffer;
    if (buffer.size() < text.size() + simdjson::SIMDJSON_PADDING)
        buffer.resize(text.size() * 2 + simdjson::SIMDJSON_PADDING);
    std::memcpy(buffer.data(), text.data(), text.size());
    std::memset(buffer.data() + text.size(), 0, simdjson::SIMDJSON_PADDING);
    simdjson::dom::element element;
    if (m_state->parser.parse(buffer.data(), text.size(), false).get(element) != simdjson::SUCCESS ||
        !element.is_object())
        return false;
    readObject(text, 0, false, record);
    return true;
}

} // namespace riffle
