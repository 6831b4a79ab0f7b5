// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/name_words.h"

#include "model/base/ascii.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace riffle {

namespace {

constexpr uint32_t kMostRanks = 1u << 24;
constexpr std::string_view kNameDigits = "0123456789";
constexpr std::string_view kSeparators = "_-=", kTimeSeparators = "-_:T .";
constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";

bool isLetter(char c) { return asciiLower(c) >= 'a' && asciiLower(c) <= 'z'; }

/// True if "of" and a number follow, as in "rank0of8".
bool startsWithCount(std::string_view text)
{
    return text.size() > 2 && asciiLower(text[0]) == 'o' && asciiLower(text[1]) == 'f' &&
           (asciiDigit(text[2]) || kSeparators.find(text[2]) != kSeparators.npos);
}

/// The forms of times: 0 is a digit, M a letter of a month, and - any separator. `month` to `second` are where these
/// numbers are.
struct TimeForm {
    std::string_view form;
    size_t month, day, hour, minute, second;
};
constexpr std::array kTimeForms = {
    TimeForm{"0000-00-00-00-00-00", 5, 8, 11, 14, 17}, TimeForm{"00000000-000000", 4, 6, 9, 11, 13},
    TimeForm{"00000000000000", 4, 6, 8, 10, 12},       TimeForm{"MMM00-00-00-00", 0, 3, 6, 9, 12},
    TimeForm{"MMM-00-00-00-00", 0, 4, 7, 10, 13},
};

bool hasForm(std::string_view text, std::string_view form)
{
    for (size_t at = 0; at < form.size(); ++at) {
        const bool fits = form[at] == '0'   ? asciiDigit(text[at])
                          : form[at] == 'M' ? isLetter(text[at])
                                            : kTimeSeparators.find(text[at]) != kTimeSeparators.npos;
        if (!fits)
            return false;
    }
    return true;
}

bool isTime(std::string_view text, const TimeForm &form)
{
    if (!hasForm(text, form.form))
        return false;
    const auto pair = [&](size_t at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
    const size_t name = kMonths.find(asciiLower(text.substr(0, 3)));
    const bool isMonth = form.form[form.month] == 'M' ? name != kMonths.npos && name % 3 == 0
                                                      : pair(form.month) >= 1 && pair(form.month) <= 12;
    return isMonth && pair(form.day) >= 1 && pair(form.day) <= 31 && pair(form.hour) < 24 && pair(form.minute) < 60 &&
           pair(form.second) < 62;
}

} // namespace

std::vector<NameWord> wordsOf(std::string_view name)
{
    std::vector<NameWord> words;
    size_t last = 0; // the end of the last word
    for (size_t at = 0; at < name.size();) {
        if (!isLetter(name[at])) {
            ++at;
            continue;
        }
        NameWord &word = words.emplace_back();
        word.isPart = at > 0 && asciiDigit(name[at - 1]);
        word.follows = words.size() > 1 && at == last + 1 && kSeparators.find(name[last]) != kSeparators.npos &&
                       !words[words.size() - 2].number;
        const size_t begin = at;
        while (at < name.size() && isLetter(name[at]))
            ++at;
        word.text = asciiLower(name.substr(begin, at - begin));
        last = at;
        const bool isRank = word.text.ends_with("rank");
        size_t from = at;
        if (from < name.size() && (kSeparators.find(name[from]) != kSeparators.npos || (isRank && name[from] == '.')))
            ++from;
        const size_t end = std::min(name.find_first_not_of(kNameDigits, from), name.size());
        if (end == from || (end < name.size() && isLetter(name[end]) && !(isRank && startsWithCount(name.substr(end)))))
            continue;
        uint32_t number = 0;
        const auto read = std::from_chars(name.data() + from, name.data() + end, number);
        if (read.ec == std::errc() && number < kMostRanks)
            word.number = number;
        word.isApart = from > at;
        at = last = end;
    }
    return words;
}

std::optional<TimeInName> timeInName(std::string_view name)
{
    for (size_t at = 0; at < name.size(); ++at) {
        if (at > 0 && kTimeSeparators.find(name[at - 1]) == kTimeSeparators.npos)
            continue;
        for (const TimeForm &form : kTimeForms) {
            const size_t end = at + form.form.size();
            if (end <= name.size() && (end == name.size() || !asciiDigit(name[end])) &&
                isTime(name.substr(at, form.form.size()), form))
                return TimeInName{at, end};
        }
    }
    return std::nullopt;
}

bool isDateAlone(std::string_view name) { return name.size() == 10 && hasForm(name, "0000-00-00"); }
bool isTimeOfDayAlone(std::string_view name) { return name.size() == 8 && hasForm(name, "00-00-00"); }

} // namespace riffle
