// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/kernel_names.h"

#include "model/analysis/facts/function_name.h"
#include "model/analysis/facts/template_argument.h"
#include "model/base/utf8.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace riffle {

namespace {

constexpr std::string_view kEllipsis = "…";

/// The start of each character of the text; bytes that are not valid UTF-8 count as characters.
std::vector<size_t> characters(std::string_view text)
{
    std::vector<size_t> begins;
    for (size_t at = 0; at < text.size(); at += std::max<size_t>(1, utf8SequenceLength(text, at)))
        begins.push_back(at);
    return begins;
}

/// The text, or only its start and its end if it has more than `limit` characters.
std::string elided(std::string_view text, size_t limit)
{
    if (text.size() <= limit)
        return std::string(text);
    const std::vector<size_t> begins = characters(text);
    if (begins.size() <= limit)
        return std::string(text);
    if (limit < 2)
        return std::string(kEllipsis);
    const size_t tail = (limit - 1) / 3;
    const size_t head = limit - 1 - tail;
    std::string result(text.substr(0, begins[head]));
    result += kEllipsis;
    if (tail > 0)
        result += text.substr(begins[begins.size() - tail]);
    return result;
}

/// The name without the namespace that every PyTorch kernel has; other namespaces are dropped only from long names.
std::string_view shortScope(std::string_view qualified)
{
    constexpr std::string_view kNative = "at::native::";
    if (qualified.starts_with(kNative))
        qualified.remove_prefix(kNative.size());
    while (qualified.size() > kShortNameLimit / 2) {
        const size_t scope = qualified.find("::");
        if (scope == std::string_view::npos || scope + 2 == qualified.size())
            break;
        qualified.remove_prefix(scope + 2);
    }
    return qualified;
}

bool saysNothing(std::string_view argument)
{
    static constexpr std::string_view kNoise[]{"array<",           "Array<",          "TrivialOffsetCalculator",
                                               "OffsetCalculator", "LoadWithoutCast", "StoreWithoutCast"};
    if (argument.empty() || argument == "true" || argument == "false" ||
        argument.find_first_not_of("-0123456789") == std::string_view::npos)
        return true;
    return std::any_of(std::begin(kNoise), std::end(kNoise),
                       [&](std::string_view each) { return argument.starts_with(each); });
}

/// A template argument as it is shown.
struct Shown {
    std::string text;
    size_t alike = 0;    ///< bytes at the start of the text that all texts in its group share
    bool needed = false; ///< distinguishes its kernel from others
};

/// Like elided(), but the part that others share is shortened first.
std::string elidedAround(const Shown &shown, size_t limit)
{
    const size_t length = characters(shown.text).size();
    if (length <= limit || shown.alike <= limit / 3)
        return elided(shown.text, limit);
    std::string_view rest(shown.text);
    rest.remove_prefix(shown.alike);
    const size_t room = std::max(limit / 2, limit > characters(rest).size() ? limit - characters(rest).size() : 0);
    return elided(std::string_view(shown.text).substr(0, shown.alike), room) + elided(rest, limit - room);
}

/// "head<a, b, …>" with the needed arguments in full if they fit, and as many of the others as there is room for.
std::string withArguments(std::string_view head, const std::vector<Shown> &arguments)
{
    if (arguments.empty())
        return elided(head, kShortNameLimit);
    constexpr size_t kWorthIt = 12;
    const std::string begin = elided(head, kShortNameLimit * 2 / 3) + "<";
    const size_t room = kShortNameLimit - characters(begin).size() - 1;
    const auto count = static_cast<size_t>(
        std::count_if(arguments.begin(), arguments.end(), [](const Shown &each) { return each.needed; }));
    size_t needed = 0;
    for (const Shown &each : arguments)
        needed += each.needed ? characters(each.text).size() + 2 : 0;
    const size_t share = needed <= room + 2 || count == 0 ? room : std::max<size_t>(4, (room + 2) / count) - 2;
    size_t optional = needed < room ? room - needed : 0; // the room for arguments that are not needed

    std::string inside;
    bool complete = true;
    size_t used = 0;
    for (const Shown &each : arguments) {
        const size_t length = characters(each.text).size();
        std::string text;
        if (each.needed) {
            text = elidedAround(each, share);
        } else if (complete && (length + 2 <= optional || optional > kWorthIt)) {
            text = elided(each.text, std::min(length, optional - 2));
            optional -= std::min(optional, length + 2);
        }
        if (text.empty()) {
            complete = false;
            continue;
        }
        const size_t size = characters(text).size() + (inside.empty() ? 0 : 2);
        if (used + size > room) {
            complete = false;
            break;
        }
        inside.append(inside.empty() ? "" : ", ").append(text);
        used += size;
    }
    if (!complete && used + 3 <= room)
        inside += inside.empty() ? "…" : ", …";
    return begin + inside + ">";
}

/// A name, split into its parts.
struct Parts {
    FunctionName name;
    bool hasArguments() const { return !name.templateArguments.empty(); }
};

/// Removes PyTorch's loop around an operation: from "gpu_kernel_impl_nocast<direct_copy_kernel_cuda#3>#1(int)", it
/// keeps "direct_copy_kernel_cuda#3".
std::string withoutLoop(std::string text)
{
    if (!text.starts_with("gpu_kernel_impl") && !text.starts_with("gpu_kernel_with_index_impl"))
        return text;
    const size_t begin = text.find('<');
    const size_t end = text.rfind('>');
    return begin == std::string::npos || end == std::string::npos || end <= begin + 1
               ? text
               : text.substr(begin + 1, end - begin - 1);
}

/// True if an argument is worth showing. The names and numbers in the arguments of a mangled name distinguish kernels,
/// but do not help a reader.
bool isTelling(const Parts &parts, std::string_view argument) { return !parts.name.mangled && !saysNothing(argument); }

std::string firstShortName(const Parts &parts)
{
    std::vector<Shown> telling;
    size_t length = 0;
    for (const std::string_view raw : parts.name.templateArguments) {
        std::string argument = withoutLoop(shortTemplateArgument(raw));
        length += argument.size();
        if (isTelling(parts, argument))
            telling.push_back({std::move(argument), 0, false});
        if (length > 4 * kShortNameLimit)
            break;
    }
    return withArguments(shortScope(parts.name.qualified), telling);
}

std::vector<std::string_view> splitAtUnderscores(std::string_view text)
{
    std::vector<std::string_view> parts;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find('_', begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// The indices of the parts that differ between members; a part that a member lacks counts as different.
std::vector<size_t> differing(const std::vector<const std::vector<std::string_view> *> &members)
{
    size_t longest = 0;
    for (const auto *member : members)
        longest = std::max(longest, std::min<size_t>(member->size(), 512)); // beyond that, numbers distinguish them
    std::vector<size_t> result;
    for (size_t at = 0; at < longest; ++at) {
        const auto part = [at](const std::vector<std::string_view> *member) {
            return at < member->size() ? (*member)[at] : std::string_view();
        };
        const std::string_view first = part(members.front());
        if (std::any_of(members.begin(), members.end(), [&](const auto *member) { return part(member) != first; }))
            result.push_back(at);
    }
    return result;
}

size_t commonPrefix(std::string_view a, std::string_view b)
{
    return static_cast<size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(std::min(a.size(), b.size())), b.begin()).first -
        a.begin());
}

/// The shown form of the argument at one position, for each member of a group in which it differs.
std::vector<Shown> differingArgument(const std::vector<std::string_view> &raw)
{
    const size_t different = std::set<std::string_view>(raw.begin(), raw.end()).size();
    std::vector<Shown> shown(raw.size());
    // Use the shortest form in which no two names look the same.
    for (const auto shorten : {+[](std::string_view text) { return withoutLoop(shortTemplateArgument(text)); },
                               +[](std::string_view text) { return shortTemplateArgument(text); },
                               +[](std::string_view text) { return shortTemplateArgument(text, true); }}) {
        std::set<std::string_view> texts;
        for (size_t member = 0; member < raw.size(); ++member) {
            shown[member] = {shorten(raw[member]), 0, true};
            texts.insert(shown[member].text);
        }
        if (texts.size() == different)
            break;
    }
    size_t alike = shown.front().text.size();
    for (const Shown &each : shown)
        alike = std::min(alike, commonPrefix(each.text, shown.front().text));
    while (alike > 0 && (static_cast<unsigned char>(shown.front().text[alike]) & 0xC0) == 0x80)
        --alike; // do not split a character
    for (Shown &each : shown)
        each.alike = alike;
    return shown;
}

/// Short names for functions whose first short names are equal; these show the arguments that differ.
std::vector<std::string> distinguishedFunctions(const std::vector<const Parts *> &group)
{
    std::vector<const std::vector<std::string_view> *> members;
    for (const Parts *each : group)
        members.push_back(&each->name.templateArguments);
    const bool sameScope = std::all_of(group.begin(), group.end(), [&](const Parts *each) {
        return each->name.qualified == group.front()->name.qualified;
    });
    const std::vector<size_t> indices = differing(members);
    std::vector<std::vector<Shown>> shown(group.size());
    size_t next = 0;
    const size_t last = std::min<size_t>(std::max<size_t>(indices.empty() ? 0 : indices.back() + 1, 8), 256);
    for (size_t at = 0; at < last; ++at) {
        const bool differs = next < indices.size() && indices[next] == at;
        next += differs ? 1 : 0;
        std::vector<std::string_view> raw;
        for (const auto *member : members)
            raw.push_back(at < member->size() ? (*member)[at] : std::string_view());
        const std::vector<Shown> column = differs ? differingArgument(raw) : std::vector<Shown>{};
        for (size_t member = 0; member < group.size(); ++member) {
            Shown each = differs ? column[member] : Shown{withoutLoop(shortTemplateArgument(raw[member])), 0, false};
            if (differs ? !each.text.empty() : isTelling(*group[member], each.text))
                shown[member].push_back(std::move(each));
        }
    }
    std::vector<std::string> result;
    for (size_t member = 0; member < group.size(); ++member) {
        const std::string_view qualified = group[member]->name.qualified;
        result.push_back(withArguments(sameScope ? shortScope(qualified) : qualified, shown[member]));
    }
    return result;
}

/// The same for identifiers ("Cijk_Ailk_Bjlk_BBS_BH_…MT64x32x64_…"); these show the start and the parts that differ.
std::vector<std::string> distinguishedIdentifiers(const std::vector<const Parts *> &group)
{
    std::vector<std::vector<std::string_view>> parts;
    for (const Parts *each : group)
        parts.push_back(splitAtUnderscores(each->name.qualified));
    std::vector<const std::vector<std::string_view> *> members;
    for (const auto &each : parts)
        members.push_back(&each);
    const std::vector<size_t> indices = differing(members);
    std::vector<std::string> result;
    for (size_t member = 0; member < group.size(); ++member) {
        std::string tail;
        for (const size_t index : indices)
            if (index < parts[member].size() && tail.size() < 4 * kShortNameLimit)
                tail.append(tail.empty() ? "" : "_").append(parts[member][index]);
        tail = elided(tail, kShortNameLimit / 2);
        const size_t room = kShortNameLimit - characters(tail).size() - 1;
        result.push_back(elided(group[member]->name.qualified, room));
        if (!tail.empty())
            result.back().append(" ").append(tail);
    }
    return result;
}

} // namespace

std::string shortKernelName(std::string_view name) { return firstShortName({functionName(name)}); }

std::vector<std::string> shortKernelNames(std::span<const std::string_view> names)
{
    // Sort by full name, so that the numbers do not depend on the order of the rows.
    std::vector<std::string_view> distinct(names.begin(), names.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());

    std::vector<Parts> parts;
    std::vector<std::string> shorts;
    std::map<std::string, std::vector<size_t>> alike;
    for (const std::string_view name : distinct) {
        parts.push_back({functionName(name)});
        shorts.push_back(firstShortName(parts.back()));
        alike[shorts.back()].push_back(shorts.size() - 1);
    }
    for (const auto &[text, members] : alike) {
        if (members.size() == 1)
            continue;
        std::vector<const Parts *> group;
        for (const size_t member : members)
            group.push_back(&parts[member]);
        const bool functions =
            std::any_of(group.begin(), group.end(), [](const Parts *each) { return each->hasArguments(); });
        std::vector<std::string> better = functions ? distinguishedFunctions(group) : distinguishedIdentifiers(group);
        for (size_t at = 0; at < members.size(); ++at)
            shorts[members[at]] = std::move(better[at]);
    }
    // Names that are still equal are numbered.
    std::unordered_map<std::string, size_t> uses;
    for (const std::string &text : shorts)
        ++uses[text];
    std::unordered_set<std::string> taken;
    for (const auto &[text, count] : uses)
        if (count == 1)
            taken.insert(text);
    std::unordered_map<std::string, size_t> next;
    for (std::string &text : shorts) {
        if (uses[text] == 1)
            continue;
        size_t &number = next[text];
        std::string numbered;
        do {
            const std::string suffix = std::string(" #").append(std::to_string(++number));
            numbered = elided(text, kShortNameLimit - suffix.size()) + suffix;
        } while (!taken.insert(numbered).second);
        text = std::move(numbered);
    }

    std::vector<std::string> result;
    result.reserve(names.size());
    for (const std::string_view name : names)
        result.push_back(
            shorts[static_cast<size_t>(std::lower_bound(distinct.begin(), distinct.end(), name) - distinct.begin())]);
    return result;
}

} // namespace riffle
