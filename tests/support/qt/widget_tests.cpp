// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"

#include <QApplication>
#include <QFileInfo>
#include <QTest>

#include <cstdio>
#include <map>
#include <vector>

namespace riffle::test {

namespace {

std::map<QString, MakeWidgetTest> &widgetTests()
{
    static std::map<QString, MakeWidgetTest> tests;
    return tests;
}

} // namespace

bool registerWidgetTest(const char *file, MakeWidgetTest make)
{
    const bool added =
        widgetTests().emplace(QFileInfo(QString::fromUtf8(file)).completeBaseName(), std::move(make)).second;
    Q_ASSERT(added); // two test files with one name would hide each other
    return added;
}

} // namespace riffle::test

int main(int argc, char **argv)
{
    const auto &tests = riffle::test::widgetTests();
    const auto found = argc > 1 ? tests.find(QString::fromLocal8Bit(argv[1])) : tests.end();
    if (found == tests.end()) {
        std::fprintf(stderr, "Usage: %s TEST [QtTest argument...]\nTests:\n", argv[0]);
        for (const auto &[name, make] : tests)
            std::fprintf(stderr, "  %s\n", qPrintable(name));
        return 2;
    }
    std::vector<char *> rest(argv, argv + argc);
    rest.erase(rest.begin() + 1);
    int count = static_cast<int>(rest.size());
    QApplication application(count, rest.data());
    // Each test has its own settings.
    QCoreApplication::setApplicationName(found->first);
    QApplication::setAttribute(Qt::AA_Use96Dpi, true);
    const auto test = found->second();
    return QTest::qExec(test.get(), count, rest.data());
}
