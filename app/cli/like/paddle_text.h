// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle::cli {

/// A unit of time. Formats times as Paddle does, always with two decimals.
class PaddleUnit {
public:
    explicit PaddleUnit(std::string word);
    const std::string &word() const { return m_word; }
    std::string text(Ns time) const { return quotient(time, 1); }
    std::string quotient(Ns time, int64_t count) const;

private:
    std::string m_word;
    double m_ns = 1;
};

/// A share in percent, without a percent sign.
std::string paddlePercent(double share);
/// A kernel's name, without its parameters if it is a template, cut to `width`.
std::string paddleKernelName(const std::string &name, size_t width);
/// The name of an indented row, cut to `width`.
std::string paddleInnerName(const std::string &name, size_t width);

struct PaddleColumn {
    std::string title;
    size_t width; ///< minimum width; columns grow with their cells, the first one only if `width` is its title's length
};

/// A table in Paddle's layout: a title in a line of dashes, two spaces between columns, dashes around the headers.
/// Lines have no trailing spaces, unlike Paddle's.
class PaddleTable {
public:
    PaddleTable(std::string title, std::vector<PaddleColumn> columns)
        : m_title(std::move(title))
        , m_columns(std::move(columns))
    {
    }
    void add(std::vector<std::string> cells) { m_lines.push_back({Kind::Cells, std::move(cells)}); }
    /// Adds new headers for the rows that follow, between two lines of dashes.
    void addHeader(std::vector<std::string> cells) { m_lines.push_back({Kind::Header, std::move(cells)}); }
    /// Adds a title across all columns.
    void addTitle(std::string title) { m_lines.push_back({Kind::Title, {std::move(title)}}); }
    /// Formats the table. `unit` is empty if the table has no times; `above` are lines to put between the title and the
    /// headers.
    std::string print(const std::string &unit, const std::string &above = {}) const;

private:
    enum class Kind { Cells, Header, Title };
    struct Line {
        Kind kind;
        std::vector<std::string> cells;
    };
    std::vector<size_t> widths() const;

    std::string m_title;
    std::vector<PaddleColumn> m_columns;
    std::vector<Line> m_lines;
};

} // namespace riffle::cli
