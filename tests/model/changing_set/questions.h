// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"

#include <cstddef>
#include <functional>
#include <random>
#include <string>

namespace riffle::test {

/// A question as a view asks it. Its answer is a table, whatever the view makes of it.
struct Question {
    std::string name; ///< with what it depends on
    std::function<Result<ResultTable>(const SetFacts &facts, const Task &task)> ask;
};

/// The questions about one member whose answers do not depend on other members, apart from the times of moments: every
/// view of the summary in every grouping, bands, and SQL.
size_t memberQuestionCount();
Question memberQuestion(size_t number, TraceId member);

/// A random question about all members, or some of them: views of the summary in every layout with limits and parts,
/// search, areas, SQL.
Question setQuestion(const TraceSet &set, std::mt19937_64 &random);

/// A whole answer as text, cell by cell.
std::string textOf(const Result<ResultTable> &answer);
/// The same for a question about one member, without what its place in the set decides. Moments are mapped.
std::string textOfMember(const Result<ResultTable> &answer, const TimeMap &time = {});

/// The first line in which two answers differ; empty if they are equal.
std::string answerDifference(const std::string &answer, const std::string &expected);

} // namespace riffle::test
