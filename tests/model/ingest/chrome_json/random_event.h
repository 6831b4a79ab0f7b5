// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

/// Events in all layouts that writers use, and in some that only a vandal would. The same seed gives the same events.
class RandomEvent {
public:
    explicit RandomEvent(uint32_t seed) : m_random(seed) {}

    size_t below(size_t limit) { return m_random() % limit; }

    std::string event()
    {
        m_blank = any({"", " ", "\n    ", "\t", " \r\n "});
        std::vector<std::string> members = {
            key("ph") + any({"\"X\"", "\"X\"", "\"B\"", "\"i\"", "\"\"", "\"XX\"", "\"\\u0058\"", "5"})};
        const auto add = [&](const char *name, std::string value) {
            if (below(5) > 0)
                members.push_back(key(name) + value);
        };
        add("name", text());
        add("cat", any({"\"cpu_op\"", "\"kernel\"", "\"ac2g\"", "null", "\"a\\\"b\"", "7", "\"\""}));
        add("pid", id());
        add("tid", id());
        add("ts", number());
        add("dur", number());
        if (below(3) == 0) {
            add("id", id());
            add("bp", any({"\"e\"", "\"\"", "\"ee\"", "1", "null"}));
            add("s", any({"\"t\"", "\"g\"", "null"}));
            add("scope", text());
            add("tts", number());
        }
        add("args", below(9) == 0 ? value(2) : args());
        if (below(40) == 0)
            members.push_back(members[below(members.size())]); // the same key twice
        if (below(3) == 0)
            std::shuffle(members.begin(), members.end(), m_random);
        return object(members);
    }

    /// The event with one fault, not in its first brace.
    std::string damaged(std::string event)
    {
        const size_t at = 1 + below(event.size() - 1);
        switch (below(6)) {
        case 0: event.resize(at); break;
        case 1: event[at] = static_cast<char>(below(256)); break;
        case 2: event.insert(at, 1, "\"{}[],:\\ \n\x01\xFF"[below(12)]); break;
        case 3: event.erase(at, 1 + below(5)); break;
        case 4:
            event.insert(at, any({"nan", "N/A", "Infinity", "-", ",,", "\\u12", "\xED\xA0\x80", "null", "1e999"}));
            break;
        default: std::swap(event[at], event[1 + below(event.size() - 1)]); break;
        }
        return event;
    }

    std::string value(int depth)
    {
        switch (below(depth > 0 ? 7 : 5)) {
        case 0: return number();
        case 1: return text();
        case 2: return any({"true", "false", "null", "[]", "{}"});
        case 3: return any({"[1, 2, 3]", "[[2,3],[]]", "[\"float\", \"\"]", "[1,2]", "[-1.5, 1e3]"});
        case 4: return id();
        case 5: {
            std::vector<std::string> members;
            for (size_t i = below(4); i > 0; --i)
                members.push_back(key(any({"a", "b", "name", "ph", "args", "x y"})) + value(depth - 1));
            return object(members);
        }
        default: {
            std::string list = "[" + m_blank;
            for (size_t i = below(4), first = i; i > 0; --i)
                list += (i == first ? "" : ", ") + value(depth - 1);
            return list + m_blank + "]";
        }
        }
    }

private:
    std::string any(std::initializer_list<const char *> values) { return values.begin()[below(values.size())]; }
    std::string key(const std::string &name) { return '"' + name + "\":" + (m_blank.size() == 1 ? " " : ""); }

    std::string object(const std::vector<std::string> &members)
    {
        std::string out = "{" + m_blank;
        for (size_t i = 0; i < members.size(); ++i)
            out += (i ? "," + m_blank : "") + members[i];
        return out + m_blank + "}";
    }

    std::string args()
    {
        std::vector<std::string> members;
        for (size_t i = below(7); i > 0; --i) {
            const std::string name = any({"External id",
                                          "correlation",
                                          "Ev Idx",
                                          "Input Dims",
                                          "Input type",
                                          "grid",
                                          "block",
                                          "stream",
                                          "device",
                                          "Python id",
                                          "Python parent id",
                                          "Collective name",
                                          "dtype",
                                          "Comms Id",
                                          "est. achieved occupancy %",
                                          "Call stack",
                                          "name",
                                          "something else",
                                          "args",
                                          "bytes",
                                          "Addr",
                                          "sort_index",
                                          "labels",
                                          "args\\u0020"});
            members.push_back(key(name) + value(3));
        }
        return object(members);
    }

    std::string id()
    {
        return any({"7",
                    "0",
                    "-1",
                    "4294967296",
                    "\"stream 7 \"",
                    "\"025\"",
                    "\"0x1f\"",
                    "\"main\"",
                    "9223372036854775807",
                    "18446744073709551615",
                    "\"18446744073709551615\"",
                    "123456789012345678",
                    "1234567890123456789",
                    "4.0",
                    "1e3",
                    "null",
                    "-0",
                    "\"a\\/b\"",
                    "{\"local\": \"0x1\"}",
                    "99999999999999999999"});
    }

    std::string number()
    {
        switch (below(4)) {
        case 0: return std::to_string(m_random() % 1'000'000'000'000'000) + '.' + std::to_string(100 + below(900));
        case 1: return std::to_string(static_cast<int64_t>(m_random()) >> below(64));
        case 2: return std::to_string(below(100'000));
        default:
            return any({"1.5",
                        "0.001",
                        "-0.5",
                        "1e3",
                        "1E-2",
                        "1e99",
                        "1.2345",
                        "0.0005",
                        "0.0015",
                        "1712195000000123.456",
                        "9007199254740993.5",
                        "\"12.5\"",
                        "\"-7\"",
                        "\"\"",
                        "\"x\"",
                        "\"1e400\"",
                        "null",
                        "[]",
                        "0",
                        "-0",
                        "-0.0",
                        "999999999999999999.999",
                        "123456789012345",
                        "1234567890123456",
                        "2305843009213693",
                        "2305843009213694",
                        "9223372036854775.807",
                        "true",
                        "1.10",
                        "1.1000",
                        "100000000000000000000.5"});
        }
    }

    std::string text()
    {
        return any({"\"aten::mm\"", "\"void k<float>(int*)\"", "\"\"", "\"caf\xC3\xA9\"", "\"\\u00e9\"",
                    "\"say \\\"hi\\\"\"", "\"C:\\\\dir\"", "\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\"", "\"}{][,:\"",
                    "\"a much longer name that does not fit into sixteen bytes\"", "\"\\u0000\"", "null", "5",
                    "\"ProfilerStep#12\"", "\"\x7F\""});
    }

    std::mt19937_64 m_random;
    std::string m_blank;
};

} // namespace riffle::test
