# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0

# Qt as the window's wheel uses it: the headers and tools of this system, RIFFLE_QT_HEADERS and RIFFLE_QT_TOOLS, and the
# libraries of the wheel PyQt6-Qt6, RIFFLE_QT_LIBRARIES.
set(Qt6_VERSION ${PACKAGE_VERSION})
set(Qt6Core_VERSION_MAJOR 6)
set(Qt6Core_VERSION_MINOR 4)

foreach(tool IN ITEMS moc rcc)
    add_executable(Qt6::${tool} IMPORTED)
    set_target_properties(Qt6::${tool} PROPERTIES IMPORTED_LOCATION "${RIFFLE_QT_TOOLS}/${tool}")
endforeach()

set(below)
foreach(module IN ITEMS Core Gui Widgets)
    string(TOUPPER ${module} upper)
    add_library(Qt6::${module} SHARED IMPORTED)
    set_target_properties(Qt6::${module} PROPERTIES IMPORTED_LOCATION "${RIFFLE_QT_LIBRARIES}/libQt6${module}.so.6"
                          INTERFACE_INCLUDE_DIRECTORIES "${RIFFLE_QT_HEADERS};${RIFFLE_QT_HEADERS}/Qt${module}"
                          INTERFACE_COMPILE_DEFINITIONS "QT_${upper}_LIB;QT_NO_DEBUG" INTERFACE_LINK_LIBRARIES "${below}")
    set(below Qt6::${module})
    set(Qt6${module}_FOUND TRUE)
endforeach()
set_target_properties(Qt6::Core PROPERTIES INTERFACE_QT_MAJOR_VERSION 6)
