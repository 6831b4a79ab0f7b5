// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The part of NVTX 3's binary interface that a tool needs, declared here so that the build needs no CUDA toolkit.
/// nvtx.cpp compares it with the real headers where they are installed.
namespace riffle::collector::nvtx {

extern "C" {
typedef void (*Function)();
typedef const void *(*GetExportTable)(uint32_t id);
}

enum ExportTable : uint32_t { kCallbacks = 1 };
enum Module : uint32_t { kCore = 1, kCore2 = 5 };

struct Callbacks {
    size_t structSize;
    /// Returns a table of pointers to the function pointers of a module, and their number.
    int (*moduleFunctions)(uint32_t module, Function ***table, unsigned *count);
};

enum CoreFunction : unsigned {
    kMarkEx = 1,
    kMarkA,
    kMarkW,
    kRangeStartEx,
    kRangeStartA,
    kRangeStartW,
    kRangeEnd,
    kRangePushEx,
    kRangePushA,
    kRangePushW,
    kRangePop,
    kNameCategoryA,
    kNameCategoryW,
    kNameOsThreadA,
    kNameOsThreadW
};
enum Core2Function : unsigned {
    kDomainMarkEx = 1,
    kDomainRangeStartEx,
    kDomainRangeEnd,
    kDomainRangePushEx,
    kDomainRangePop,
    kDomainResourceCreate,
    kDomainResourceDestroy,
    kDomainNameCategoryA,
    kDomainNameCategoryW,
    kDomainRegisterStringA,
    kDomainRegisterStringW,
    kDomainCreateA,
    kDomainCreateW,
    kDomainDestroy
};

enum PayloadType : int32_t { kUint64 = 1, kInt64 = 2, kDouble = 3, kUint32 = 4, kInt32 = 5, kFloat32 = 6 };
enum MessageType : int32_t { kAscii = 1, kUnicode = 2, kRegistered = 3 };

/// The same layout as nvtxEventAttributes_v2.
struct EventAttributes {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved;
    union {
        uint64_t u64;
        int64_t i64;
        double f64;
        uint32_t u32;
        int32_t i32;
        float f32;
    } payload;
    int32_t messageType;
    union {
        const char *ascii;
        const wchar_t *unicode;
        const void *registered;
    } message;
};
static_assert(sizeof(EventAttributes) == 48);

} // namespace riffle::collector::nvtx
