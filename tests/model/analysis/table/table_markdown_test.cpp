// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/table_markdown.h"

#include "tests/model/analysis/table/small_table.h"

#include <gtest/gtest.h>

using namespace riffle;

TEST(TableMarkdown, EscapesMarkupAndKeepsEverythingElse)
{
    EXPECT_EQ(markdownText("aten::_to_copy"), "aten::\\_to_copy");
    EXPECT_EQ(markdownText("a|b`c\\d*e"), "a\\|b\\`c\\\\d\\*e");
    EXPECT_EQ(markdownText("gemm<float>(T&, int &&)"), "gemm\\<float>(T&, int &&)");
    EXPECT_EQ(markdownText("&amp; &#35;"), "\\&amp; \\&#35;");
    EXPECT_EQ(markdownText("__init__ [0] ~x~"), "\\_\\_init\\_\\_ \\[0] \\~x\\~");
    EXPECT_EQ(markdownText("one\ntwo\r\nthree\tfour\x1b"), "one two  three four ");
    EXPECT_EQ(markdownText("矩阵乘法 µs – é"), "矩阵乘法 µs – é");
    EXPECT_EQ(markdownText(""), "");
}

TEST(TableMarkdown, AlignsFiguresToTheRight)
{
    ResultTable table = test::smallTable();
    table.column("name")->texts[1] = "a|b\n`c`";
    const std::vector<uint32_t> rows = {2, 1};
    const std::vector<size_t> columns = {0, 2, 3};
    EXPECT_EQ(tableMarkdown(table, rows, columns), "| Name | Calls | Total |\n"
                                                   "| --- | ---: | ---: |\n"
                                                   "| void gemm\\<float>(int, int) | 3 | 30.00\u00a0ms |\n"
                                                   "| a\\|b \\`c\\` | 250 | 900.0\u00a0µs |\n");
}

TEST(TableMarkdown, IndentsTheRowsOfATree)
{
    const std::vector<uint32_t> rows = {0, 2, 3};
    const std::vector<size_t> columns = {0};
    EXPECT_EQ(tableMarkdown(test::smallTree(), rows, columns),
              "| Name |\n| --- |\n| net |\n| \u2003head |\n| \u2003\u2003linear |\n");
}

TEST(TableMarkdown, SaysNothingWithoutColumns)
{
    const std::vector<uint32_t> rows = {0};
    EXPECT_EQ(tableMarkdown(test::smallTree(), rows, {}), "");
}
