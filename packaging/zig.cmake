# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0

# Toolchain file: compiles with Zig for the architecture RIFFLE_ARCH (x86_64 or aarch64). RIFFLE_ZIG is the folder of the
# programs zig-cc, zig-c++, zig-ar and zig-ranlib, which know for which glibc. Zig links its libc++ statically, so the C++
# library of the process does not matter.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RIFFLE_ZIG RIFFLE_ARCH RIFFLE_DEPS)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${RIFFLE_ARCH})

set(CMAKE_C_COMPILER "${RIFFLE_ZIG}/zig-cc")
set(CMAKE_ASM_COMPILER "${RIFFLE_ZIG}/zig-cc")
set(CMAKE_CXX_COMPILER "${RIFFLE_ZIG}/zig-c++")
set(CMAKE_AR "${RIFFLE_ZIG}/zig-ar")
set(CMAKE_RANLIB "${RIFFLE_ZIG}/zig-ranlib")
foreach(language IN ITEMS C CXX ASM)
    # Zig adds checks of undefined behaviour to code that is not optimised. Fused multiplications would give ratios another last
    # digit on AArch64 than on x86-64.
    set(CMAKE_${language}_FLAGS_INIT "-fno-sanitize=all -fPIC -ffp-contract=off")
endforeach()
set(CMAKE_SHARED_LINKER_FLAGS_INIT -s)
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)

# Headers and libraries come from packaging/deps alone, never from this system.
set(CMAKE_FIND_ROOT_PATH "${RIFFLE_DEPS}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} "${RIFFLE_DEPS}/lib/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")
