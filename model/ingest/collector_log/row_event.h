// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/log_index.h"
#include "model/trace/event_arguments.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace riffle {

/// Takes the parts of a row's event: begin() first, then the fields, then the arguments. Absent values, empty texts and
/// numbers that are not finite are left out.
class RowEvent {
public:
    virtual ~RowEvent() = default;

    virtual void begin(char phase, std::string_view category, std::string_view name) = 0;
    virtual void text(const char *key, std::string_view value) = 0;
    virtual void number(const char *key, int64_t value) = 0;
    virtual void time(const char *key, int64_t value) = 0; ///< in ns
    virtual void add(std::string_view key, ArgumentValue value) = 0;

    void argument(std::string_view key, int64_t value)
    {
        if (value != wire::kAbsent)
            add(key, ArgumentValue(value));
    }
    void argument(std::string_view key, double value)
    {
        if (std::isfinite(value))
            add(key, ArgumentValue(value));
    }
    void argument(std::string_view key, std::string_view value)
    {
        if (!value.empty())
            add(key, ArgumentValue::ofText(std::string(value)));
    }
};

/// Appends the event to a text, as a JSON object; the destructor closes its braces.
class JsonEvent : public RowEvent {
public:
    explicit JsonEvent(std::string &out) : m_out(out) {}
    ~JsonEvent() override;
    JsonEvent(const JsonEvent &) = delete;
    JsonEvent &operator=(const JsonEvent &) = delete;

    void begin(char phase, std::string_view category, std::string_view name) override;
    void text(const char *key, std::string_view value) override;
    void number(const char *key, int64_t value) override;
    void time(const char *key, int64_t value) override;
    void add(std::string_view key, ArgumentValue value) override;

private:
    std::string &m_out;
    bool m_begun = false, m_inArgs = false;
};

/// Keeps the event's arguments alone.
class ArgumentsOfEvent : public RowEvent {
public:
    void begin(char, std::string_view, std::string_view) override {}
    void text(const char *, std::string_view) override {}
    void number(const char *, int64_t) override {}
    void time(const char *, int64_t) override {}
    void add(std::string_view key, ArgumentValue value) override
    {
        m_arguments.push_back({std::string(key), std::move(value)});
    }
    EventArguments take() { return std::move(m_arguments); }

private:
    EventArguments m_arguments;
};

} // namespace riffle
