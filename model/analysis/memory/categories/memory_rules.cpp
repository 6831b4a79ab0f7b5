// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/categories/memory_rules.h"

#include "model/base/mapped_file.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace riffle {

namespace {

using namespace simdjson;

/// True if the whole text matches a pattern in which "*" stands for any text.
bool fits(std::string_view pattern, std::string_view text)
{
    size_t star = pattern.find('*');
    if (star == std::string_view::npos)
        return pattern == text;
    if (!text.starts_with(pattern.substr(0, star)))
        return false;
    text.remove_prefix(star);
    for (;;) {
        pattern.remove_prefix(star + 1);
        star = pattern.find('*');
        if (star == std::string_view::npos)
            return text.ends_with(pattern);
        const size_t at = text.find(pattern.substr(0, star));
        if (at == std::string_view::npos)
            return false;
        text.remove_prefix(at + star);
    }
}

std::string_view trimmedBlanks(std::string_view text)
{
    const size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// An error in the rules, thrown and caught in this file only.
struct Wrong {
    std::string message;
    uint64_t offset;
};

class RuleParser {
public:
    RuleParser(std::string_view text, MemoryRules &rules) : m_text(text), m_rules(rules) {}

    void run()
    {
        auto document = m_parser.iterate(m_text);
        m_document = &take(document);
        ondemand::object top = take(m_document->get_object());
        bool hasRules = false;
        for (auto field : top) {
            const std::string_view key = keyOf(field);
            auto value = take(field.value());
            if (key == "sets")
                readSets(value);
            else if (key == "rules")
                readRules(value), hasRules = true;
            else if (key != "comment")
                wrong(fmt::format("'{}' is not a key of a rules file: use sets, rules or comment.", key));
        }
        const char *behind = nullptr;
        if (m_document->current_location().get(behind) == SUCCESS)
            wrong("There is more text after the end of the rules.");
        if (!hasRules)
            wrong("The file contains no rules.");
    }

private:
    [[noreturn]] void wrong(std::string message)
    {
        const char *at = nullptr;
        uint64_t offset = m_text.size();
        if (m_document && m_document->current_location().get(at) == SUCCESS && at >= m_text.data())
            offset = std::min<uint64_t>(static_cast<uint64_t>(at - m_text.data()), m_text.size());
        throw Wrong{std::move(message), offset};
    }
    [[noreturn]] void invalid(error_code error)
    {
        std::string message = std::string("The JSON is not a valid rules file: ") + error_message(error);
        if (!message.ends_with('.'))
            message += '.';
        wrong(std::move(message));
    }
    template <typename T>
    T &take(simdjson_result<T> &result)
    {
        if (result.error())
            invalid(result.error());
        return result.value_unsafe();
    }
    template <typename T>
    T take(simdjson_result<T> &&result)
    {
        T value;
        if (const auto error = std::move(result).get(value))
            invalid(error);
        return value;
    }
    template <typename Field>
    std::string_view keyOf(Field &field)
    {
        std::string_view key;
        if (const auto error = field.unescaped_key().get(key))
            invalid(error);
        return key;
    }
    std::string textOf(ondemand::value &value) { return std::string(take(value.get_string())); }

    void readSets(ondemand::value &value)
    {
        for (auto field : take(value.get_object())) {
            FrameSet set;
            set.name = keyOf(field);
            for (auto item : take(take(field.value()).get_array())) {
                ondemand::value one = take(std::move(item));
                readPattern(set, textOf(one));
            }
            if (m_rules.sets.size() == MemoryRules::kMostSets)
                wrong(fmt::format("There are more than {} sets.", MemoryRules::kMostSets));
            if (!m_sets.try_emplace(set.name, m_rules.sets.size()).second)
                wrong(fmt::format("The set '{}' is defined twice.", set.name));
            m_rules.sets.push_back(std::move(set));
        }
    }

    void readPattern(FrameSet &set, const std::string &text)
    {
        constexpr std::string_view kRange = "<range ", kNot = "! ";
        if (text == "<no frames>") {
            set.noFrames = true;
            return;
        }
        std::string_view rest = text;
        if (rest.starts_with(kRange) && rest.ends_with('>')) {
            set.ranges.emplace_back(rest.substr(kRange.size(), rest.size() - kRange.size() - 1));
            return;
        }
        std::vector<FramePattern> &patterns = rest.starts_with(kNot) ? set.without : set.patterns;
        if (rest.starts_with(kNot))
            rest.remove_prefix(kNot.size());
        const size_t at = rest.find(" @ ");
        FramePattern pattern;
        pattern.function = trimmedBlanks(rest.substr(0, at));
        pattern.file = at == std::string_view::npos ? "*" : trimmedBlanks(rest.substr(at + 3));
        if (pattern.function.empty() || pattern.file.empty())
            wrong(fmt::format("'{}' is not a pattern: write FUNCTION or FUNCTION @ FILE.", text));
        pattern.inModuleFile = pattern.file == "<module file>";
        patterns.push_back(std::move(pattern));
    }

    void readRules(ondemand::value &value)
    {
        for (auto item : take(value.get_array())) {
            MemoryRule rule;
            ondemand::value one = take(std::move(item));
            for (auto field : take(one.get_object())) {
                const std::string key(keyOf(field));
                ondemand::value content = take(field.value());
                readCondition(rule, key, content);
            }
            if (rule.name.empty() || rule.category.empty())
                wrong("A rule needs a name and a category.");
            rule.inferred |= rule.bySize();
            if (rule.bySize() && (m_stackConditions != 0 || rule.atMostEach < 1))
                wrong("A rule with sized_like takes only not_sized_like and at_most_each, which is 1 or more.");
            m_stackConditions = 0;
            m_rules.rules.push_back(std::move(rule));
        }
    }

    void readCondition(MemoryRule &rule, const std::string &key, ondemand::value &value)
    {
        static constexpr std::array<std::pair<std::string_view, uint64_t MemoryRule::*>, 7> kSets{
            {{"allocated_in", &MemoryRule::allocatedIn},
             {"also_allocated_in", &MemoryRule::alsoAllocatedIn},
             {"not_allocated_in", &MemoryRule::notAllocatedIn},
             {"freed_in", &MemoryRule::freedIn},
             {"not_freed_in", &MemoryRule::notFreedIn},
             {"replaced_in", &MemoryRule::replacedIn},
             {"lives_through", &MemoryRule::livesThrough}}};
        static constexpr std::array<std::pair<std::string_view, std::optional<bool> MemoryRule::*>, 5> kFlags{
            {{"lives_through_oom", &MemoryRule::throughOom},
             {"begun", &MemoryRule::begun},
             {"freed", &MemoryRule::freed},
             {"same_call", &MemoryRule::sameCall},
             {"continued", &MemoryRule::continued}}};
        static constexpr std::array<std::pair<std::string_view, std::optional<int64_t> MemoryRule::*>, 3> kNumbers{
            {{"at_most_events", &MemoryRule::atMostEvents},
             {"at_least_bytes", &MemoryRule::atLeastBytes},
             {"at_most_bytes", &MemoryRule::atMostBytes}}};
        ++m_stackConditions;
        for (const auto &[name, member] : kSets)
            if (key == name)
                return void(rule.*member = setsOf(value));
        for (const auto &[name, member] : kFlags)
            if (key == name)
                return void(rule.*member = take(value.get_bool()));
        for (const auto &[name, member] : kNumbers)
            if (key == name)
                return void(rule.*member = take(value.get_int64()));
        --m_stackConditions;
        static constexpr std::array<std::pair<std::string_view, std::string MemoryRule::*>, 4> kTexts{
            {{"name", &MemoryRule::name},
             {"category", &MemoryRule::category},
             {"sized_like", &MemoryRule::sizedLike},
             {"not_sized_like", &MemoryRule::notSizedLike}}};
        for (const auto &[name, member] : kTexts)
            if (key == name)
                return void(rule.*member = textOf(value));
        if (key == "inferred")
            rule.inferred = take(value.get_bool());
        else if (key == "at_most_each")
            rule.atMostEach = take(value.get_int64());
        else if (key != "comment")
            wrong(fmt::format("'{}' is not a condition of a rule.", key));
    }

    uint64_t setsOf(ondemand::value &value)
    {
        uint64_t bits = 0;
        for (auto item : take(value.get_array())) {
            ondemand::value one = take(std::move(item));
            const std::string name = textOf(one);
            const auto known = m_sets.find(name);
            if (known == m_sets.end())
                wrong(fmt::format("The set '{}' is not defined above.", name));
            bits |= uint64_t(1) << known->second;
        }
        if (bits == 0)
            wrong("A list of sets is empty.");
        return bits;
    }

    padded_string m_text;
    MemoryRules &m_rules;
    ondemand::parser m_parser;
    ondemand::document *m_document = nullptr;
    std::map<std::string, size_t> m_sets;
    int m_stackConditions = 0; ///< of the rule that is being read
};

} // namespace

bool FramePattern::matches(std::string_view name, std::string_view path, bool isModuleFile) const
{
    return fits(function, name) && (inModuleFile ? isModuleFile : file == "*" || fits(file, path));
}

bool FrameSet::hasRange(std::string_view range) const
{
    return std::any_of(ranges.begin(), ranges.end(), [&](const std::string &pattern) { return fits(pattern, range); });
}

Result<MemoryRules> MemoryRules::parse(std::string_view text, const std::string &file)
{
    MemoryRules rules;
    try {
        RuleParser(text, rules).run();
    } catch (const Wrong &problem) {
        return Error{problem.message, file, problem.offset};
    }
    return rules;
}

Result<MemoryRules> MemoryRules::read(const std::string &path)
{
    constexpr size_t kMost = 1 << 20;
    std::error_code failed;
    const std::filesystem::file_status status = std::filesystem::status(path, failed);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) // a pipe could block for ever
        return Error{"The rules must be in a regular file.", path, std::nullopt};
    const auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    if ((*file)->size() > kMost)
        return Error{"The rules are larger than 1 MiB.", path, std::nullopt};
    const std::string text(reinterpret_cast<const char *>((*file)->data()), static_cast<size_t>((*file)->size()));
    return parse(text, path);
}

const MemoryRules &MemoryRules::builtIn()
{
    static const MemoryRules rules = [] {
        auto parsed = parse(builtInText(), "the rules of this program");
        return parsed ? std::move(*parsed) : MemoryRules();
    }();
    return rules;
}

} // namespace riffle
