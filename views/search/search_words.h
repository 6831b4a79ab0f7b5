// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/search/search.h"

#include <QList>
#include <QString>

namespace riffle {

/// The query that a text means: "category:", "args:" and "case:" in front of it say where and how to search, and
/// /expression/ is a regular expression.
SearchQuery searchQueryOf(const QString &text);
/// True if filters can express the query: it looks at names alone, in upper and lower case.
bool canFilter(const SearchQuery &query);

/// Something that can be typed, and what it means.
struct SearchHint {
    QString text; ///< a word that starts a search, or an example
    QString what;
};
/// The hints that a text may be the start of; all if the text is empty.
QList<SearchHint> searchHints(const QString &text);

} // namespace riffle
