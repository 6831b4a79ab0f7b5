// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/search/search_words.h"

#include "views/common/look/qt_text.h"

#include <QCoreApplication>

namespace riffle {

namespace {

constexpr struct {
    const char *text, *what;
} kHints[] = {
    {"category:", QT_TRANSLATE_NOOP("riffle::SearchHint", "Slices of a category, such as kernel")},
    {"args:", QT_TRANSLATE_NOOP("riffle::SearchHint", "Text of the arguments, too (reads the file)")},
    {"case:", QT_TRANSLATE_NOOP("riffle::SearchHint", "Upper and lower case matter")},
    {"/gemm|conv/", QT_TRANSLATE_NOOP("riffle::SearchHint", "A regular expression")},
    {"#3", QT_TRANSLATE_NOOP("riffle::SearchHint", "Go to a step")},
    {"1.5ms", QT_TRANSLATE_NOOP("riffle::SearchHint", "Go to a time")},
    {"1ms:2ms", QT_TRANSLATE_NOOP("riffle::SearchHint", "Go to a range")},
    {"rank 1", QT_TRANSLATE_NOOP("riffle::SearchHint", "Go to a rank")},
    {"stream 7", QT_TRANSLATE_NOOP("riffle::SearchHint", "Go to a lane")},
    {"train.py:12", QT_TRANSLATE_NOOP("riffle::SearchHint", "Go to a line of Python that was recorded")},
};

} // namespace

SearchQuery searchQueryOf(const QString &typed)
{
    SearchQuery query;
    QString text = typed.trimmed();
    const auto takes = [&text](QLatin1String word) {
        if (!text.startsWith(word))
            return false;
        text = text.mid(word.size()).trimmed();
        return true;
    };
    bool isCategory = false;
    for (bool isWord = true; isWord;) {
        isWord = false;
        if (takes(QLatin1String("category:")))
            isWord = isCategory = true;
        if (takes(QLatin1String("args:")))
            isWord = query.arguments = true;
        if (takes(QLatin1String("case:")))
            isWord = query.caseSensitive = true;
    }
    if (isCategory) {
        query.mode = SearchQuery::Mode::Category;
    } else if (text.size() > 2 && text.startsWith(QLatin1Char('/')) && text.endsWith(QLatin1Char('/'))) {
        query.mode = SearchQuery::Mode::Regex;
        text = text.mid(1, text.size() - 2);
    }
    query.text = toUtf8(text);
    return query;
}

bool canFilter(const SearchQuery &query)
{
    return query.mode != SearchQuery::Mode::Category && !query.arguments && !query.caseSensitive && !query.text.empty();
}

QList<SearchHint> searchHints(const QString &text)
{
    QList<SearchHint> hints;
    for (const auto &[start, what] : kHints)
        if (const QString word = QString::fromLatin1(start); word.startsWith(text.trimmed()) && word != text.trimmed())
            hints += {word, QCoreApplication::translate("riffle::SearchHint", what)};
    return hints;
}

} // namespace riffle
