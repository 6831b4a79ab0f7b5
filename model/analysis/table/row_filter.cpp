// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/row_filter.h"

#include "model/analysis/search/text_matcher.h"
#include "model/base/ascii.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace riffle {

namespace {

enum class Operation : uint8_t { Less, LessOrEqual, More, MoreOrEqual, Equal, Unequal };
constexpr std::array<std::pair<std::string_view, Operation>, 6> kOperations{{{"<=", Operation::LessOrEqual},
                                                                             {">=", Operation::MoreOrEqual},
                                                                             {"!=", Operation::Unequal},
                                                                             {"<", Operation::Less},
                                                                             {">", Operation::More},
                                                                             {"=", Operation::Equal}}};

struct Unit {
    std::string_view name;
    double factor;
    std::optional<CellKind> kind; ///< of the cells with this unit; any kind if not set
};
constexpr std::array<Unit, 16> kUnits{{{"", 1, std::nullopt},
                                       {"ns", 1, CellKind::Time},
                                       {"us", 1e3, CellKind::Time},
                                       {"µs", 1e3, CellKind::Time}, // the micro sign
                                       {"μs", 1e3, CellKind::Time}, // the letter mu
                                       {"ms", 1e6, CellKind::Time},
                                       {"s", 1e9, CellKind::Time},
                                       {"%", 0.01, CellKind::Share},
                                       {"b", 1, CellKind::Bytes},
                                       {"kb", 1e3, CellKind::Bytes},
                                       {"mb", 1e6, CellKind::Bytes},
                                       {"gb", 1e9, CellKind::Bytes},
                                       {"kib", 0x1p10, CellKind::Bytes},
                                       {"mib", 0x1p20, CellKind::Bytes},
                                       {"gib", 0x1p30, CellKind::Bytes},
                                       {"k", 1e3, CellKind::Count}}};

struct Amount {
    double value = 0;
    const Unit *unit = nullptr;
};

std::optional<Amount> parseAmount(std::string_view text)
{
    Amount amount;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), amount.value);
    if (failure != std::errc() || !std::isfinite(amount.value))
        return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const std::string name = asciiLower(text);
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit &known) { return known.name == name; });
    if (unit == kUnits.end())
        return std::nullopt;
    amount.unit = &*unit;
    amount.value *= unit->factor;
    return amount;
}

bool fits(const ResultColumn &column, const Amount &amount)
{
    if (column.kind == CellKind::Text)
        return false;
    if (amount.unit->kind == CellKind::Count) // k means thousands, in any column without a unit
        return column.kind == CellKind::Count || column.kind == CellKind::Number;
    if (amount.unit->kind)
        return column.kind == amount.unit->kind;
    return column.kind != CellKind::Time || amount.value == 0;
}

bool holds(double cell, Operation operation, double value)
{
    switch (operation) {
    case Operation::Less: return cell < value;
    case Operation::LessOrEqual: return cell <= value;
    case Operation::More: return cell > value;
    case Operation::MoreOrEqual: return cell >= value;
    case Operation::Equal: return cell == value;
    case Operation::Unequal: return cell != value;
    }
    return false;
}

const ResultColumn *columnNamed(const ResultTable &table, std::string_view word)
{
    if (const ResultColumn *exact = table.column(word))
        return exact;
    const std::string wanted = asciiLower(word);
    for (const ResultColumn &column : table.columns) {
        std::string title = asciiLower(column.title);
        std::replace(title.begin(), title.end(), ' ', '_');
        if (column.key.starts_with(wanted) || title.starts_with(wanted))
            return &column;
    }
    return nullptr;
}

class Filter {
public:
    Filter(const ResultTable &table, std::string_view preferred)
        : m_table(table)
        , m_preferred(table.column(preferred))
        , m_passing(table.rows(), 1)
    {
    }

    Result<void> apply(std::string_view word)
    {
        if (word.size() >= 2 && word.front() == '/' && word.back() == '/') {
            const auto matcher = regexMatcher(std::string(word.substr(1, word.size() - 2)), false);
            if (!matcher)
                return Error{matcher.error().message, {}, {}, ErrorKind::Question};
            keepTexts(*matcher);
            return {};
        }
        if (word.size() >= 2 && word.front() == '"' && word.back() == '"')
            word = word.substr(1, word.size() - 2);
        else if (const auto compared = compare(word); !compared || *compared)
            return compared ? Result<void>() : compared.error();
        if (!word.empty())
            keepTexts(substringMatcher(std::string(word), false));
        return {};
    }
    std::vector<uint8_t> take() { return std::move(m_passing); }

private:
    template <typename Passes>
    void keep(const Passes &passes)
    {
        for (size_t row = 0; row < m_passing.size(); ++row)
            m_passing[row] = m_passing[row] && passes(row);
    }

    void keepTexts(const TextMatcher &matches)
    {
        keep([&](size_t row) {
            return std::any_of(m_table.columns.begin(), m_table.columns.end(), [&](const ResultColumn &column) {
                return column.kind == CellKind::Text && matches(column.texts[row]);
            });
        });
    }

    /// Applies a comparison; false if the word is not one.
    Result<bool> compare(std::string_view word)
    {
        const size_t at = word.find_first_of("<>=!");
        if (at == std::string_view::npos)
            return false;
        const auto operation = std::find_if(kOperations.begin(), kOperations.end(), [&](const auto &known) {
            return word.substr(at).starts_with(known.first);
        });
        if (operation == kOperations.end())
            return false;
        const std::string_view name = word.substr(0, at);
        const std::string_view value = word.substr(at + operation->first.size());
        const ResultColumn *column = name.empty() ? nullptr : columnNamed(m_table, name);
        if (column && column->kind == CellKind::Text &&
            (operation->second == Operation::Equal || operation->second == Operation::Unequal)) {
            keep([matches = wholeTextMatcher(std::string(value)), column,
                  equal = operation->second == Operation::Equal](size_t row) {
                return matches(column->texts[row]) == equal;
            });
            return true;
        }
        const auto amount = parseAmount(value);
        if (!column && !name.empty()) {
            // kernel<4 may be part of a name; other signs between a word and a number hardly ever are.
            const bool isWord = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
            if (!amount || !isWord || (operation->second == Operation::Less && amount->unit->name.empty()))
                return false;
            return Error{
                "There is no column " + std::string(name) + ". The columns are " + m_table.keys() + ".", {}, {}};
        }
        if (!amount && (value.empty() || value.front() < '0' || value.front() > '9'))
            return false;
        if (!amount)
            return Error{std::string(word) + ": This is not a number with a known unit.", {}, {}, ErrorKind::Question};
        if (!column) {
            if (m_preferred && fits(*m_preferred, *amount))
                column = m_preferred;
            else
                for (const ResultColumn &each : m_table.columns)
                    if (!column && fits(each, *amount))
                        column = &each;
            if (!column)
                return Error{std::string(word) + ": No column has such values.", {}, {}};
        } else if (!fits(*column, *amount)) {
            return Error{column->kind == CellKind::Time && !amount->unit->kind
                             ? std::string(word) + ": Add a unit, as in 10ms."
                             : std::string(word) + ": The column " + column->title + " has another unit.",
                         {},
                         {},
                         ErrorKind::Question};
        }
        keep([&](size_t row) {
            return !column->absent(row) && holds(column->number(row), operation->second, amount->value);
        });
        return true;
    }

    const ResultTable &m_table;
    const ResultColumn *m_preferred;
    std::vector<uint8_t> m_passing;
};

/// The end of the word that starts at `at`. Spaces inside closed quotes or slashes belong to the word.
size_t wordEnd(std::string_view text, size_t at)
{
    const size_t space = std::min(text.find(' ', at), text.size());
    if (text[at] != '"' && text[at] != '/')
        return space;
    for (size_t end = at + 1; end < text.size(); ++end)
        if (text[end] == text[at] && (end + 1 == text.size() || text[end + 1] == ' '))
            return end + 1;
    return space;
}

} // namespace

Result<std::vector<uint8_t>> rowsPassing(const ResultTable &table, std::string_view filter, std::string_view preferred)
{
    Filter rows(table, preferred);
    for (size_t at = 0; at < filter.size();) {
        if (filter[at] == ' ') {
            ++at;
            continue;
        }
        const size_t end = wordEnd(filter, at);
        if (const auto applied = rows.apply(filter.substr(at, end - at)); !applied)
            return applied.error();
        at = end;
    }
    return rows.take();
}

} // namespace riffle
