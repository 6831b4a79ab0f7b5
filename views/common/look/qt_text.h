// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFontMetrics>
#include <QString>

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// The model's UTF-8 text as Qt text; damaged bytes become replacement characters.
inline QString toQString(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
/// The model's text as HTML.
inline QString escapedHtml(std::string_view text) { return toQString(text).toHtmlEscaped(); }
inline std::string toUtf8(const QString &text) { return text.toStdString(); }

/// "1.50 MiB"
QString bytesText(int64_t bytes);
QString bytesText(uint64_t bytes);
/// The size followed by the exact number, "1.50 MiB (1,572,864 B)"; below 1 KiB only the number of bytes.
QString exactBytesText(int64_t bytes);

/// `text` on one line: line breaks and control characters become spaces, and at most `limit` characters are kept.
QString singleLine(const QString &text, qsizetype limit = 4096);

/// `text` cut to `width` with an ellipsis between whole graphemes, so no surrogate pair or combined letter is split.
/// A text that already has an ellipsis is cut there. Empty when not even the ellipsis fits.
QString elided(const QString &text, const QFontMetrics &metrics, int width);

/// `text` as HTML for a tool tip, with explicit line breaks because Qt does not break a long kernel name. Lines have at
/// most `columns` characters and end after a space, comma or bracket where possible.
QString wrappedHtml(const QString &text, qsizetype columns = 130);

} // namespace riffle
