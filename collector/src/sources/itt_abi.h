// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <pthread.h>

/// The part of the binary interface of Intel's ITT API that a collector needs. Programs contain a static part, which
/// loads the library that INTEL_LIBITTNOTIFY64 names when the program first uses a function other than those that make
/// domains and strings, and gives it a table of the function pointers through which the program calls.
namespace riffle::collector::itt {

extern "C" {
typedef void (*Function)();
}

inline constexpr unsigned char kMagic[8] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};
inline constexpr unsigned long kMajor = 3;
/// Entries of the table have all members below since shortly before this version; it is that of TBB 4 and LLVM's
/// OpenMP.
inline constexpr unsigned long kFirstBuild = 20111111;

/// An entry of the table, which ends with an entry without a name.
struct Api {
    const char *name;
    Function *place;        ///< the function pointer of the program
    Function initFunction;  ///< what it points to until a collector has been looked for
    Function plainFunction; ///< what it points to without a collector: mostly null
    int32_t group;
};
static_assert(sizeof(Api) == 40);

/// Those that exist before a collector is loaded are made by the static part, which keeps them in lists.
struct DomainHandle {
    volatile int enabled;
    const char *name;
    void *wide;
    int reservedNumber;
    void *reserved;
    DomainHandle *next;
};
static_assert(offsetof(DomainHandle, name) == 8 && offsetof(DomainHandle, next) == 40);

struct StringHandle {
    const char *text;
    void *wide;
    int reservedNumber;
    void *reserved;
    StringHandle *next;
};
static_assert(sizeof(StringHandle) == 40);

struct Id {
    unsigned long long parts[3];
};

/// The first members of what a static part knows; there is one for each module that contains it.
struct Global {
    unsigned char magic[8];
    unsigned long major, minor, build;
    volatile long isInitialized, hasMutex, counter;
    pthread_mutex_t mutex;
    void *library;
    void *errorHandler;
    const char **libraryPath;
    Api *functions;
    Global *next;
    void *threads;
    DomainHandle *domains;
    StringHandle *strings;
};
static_assert(offsetof(Global, mutex) == 56);

} // namespace riffle::collector::itt
