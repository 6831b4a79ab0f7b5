// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <functional>
#include <memory>

namespace riffle::test {

using MakeWidgetTest = std::function<std::unique_ptr<QObject>()>;

/// Registers a QtTest class under the name of its source file, without folder and suffix. Always returns true.
bool registerWidgetTest(const char *file, MakeWidgetTest make);

} // namespace riffle::test

/// Ends a test file, in place of QTEST_MAIN. All tests of a room are one program; its first argument is the name of
/// the test, followed by QtTest's own arguments.
#define RIFFLE_WIDGET_TEST(Class)                                                                                      \
    static const bool registered##Class =                                                                              \
        riffle::test::registerWidgetTest(__FILE__, [] { return std::make_unique<Class>(); });
