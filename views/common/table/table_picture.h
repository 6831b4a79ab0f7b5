// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>

namespace riffle {

class SummaryTable;

/// The first rows of a table as a picture: those that are visible and those that must be scrolled to, with the same
/// columns, order and folds, and the totals below them. At most `rows` rows, counted with those that are folded out.
struct TablePicture {
    QImage image; ///< null if the table has no rows
    int rows = 0; ///< number of rows in the picture
    int all = 0;  ///< number of rows that are not folded away
};
TablePicture pictureOf(const SummaryTable &table, int rows, qreal ratio);

} // namespace riffle
