// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/natural_order.h"

#include <algorithm>
#include <cstddef>

namespace riffle {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Takes the number at the start of the text, without its leading zeros.
std::string_view takeNumber(std::string_view &text)
{
    const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
}

/// A separator comes before every other character, so that a folder's name is compared as a whole.
int weight(char c) { return c == '/' ? -1 : static_cast<unsigned char>(c); }

} // namespace

bool naturallyBefore(std::string_view left, std::string_view right)
{
    std::string_view a = left, b = right;
    while (!a.empty() && !b.empty()) {
        if (isDigit(a.front()) && isDigit(b.front())) {
            const std::string_view one = takeNumber(a), other = takeNumber(b);
            if (one.size() != other.size())
                return one.size() < other.size();
            if (one != other)
                return one < other;
            continue;
        }
        if (a.front() != b.front())
            return weight(a.front()) < weight(b.front());
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    if (a.empty() != b.empty())
        return a.empty();
    return left < right; // numbers with different numbers of zeros
}

} // namespace riffle
