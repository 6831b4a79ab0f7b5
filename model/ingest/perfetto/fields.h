// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace riffle::perfetto {

// Numbers of the protobuf fields that are read, by message. They are those of Perfetto's public definitions.

namespace packet {
inline constexpr uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12,
                          kSequenceFlags = 13, kStateCleared = 41, kDropped = 42, kGpuCounter = 52, kRenderStage = 53,
                          kClockId = 58, kDefaults = 59, kTrackDescriptor = 60;
inline constexpr uint64_t kFlagStateCleared = 1;
inline constexpr uint32_t kCompressed = 50; ///< packets inside the packet, which are not read
} // namespace packet

namespace descriptor {
inline constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8, kStaticName = 10;
inline constexpr uint32_t kProcessPid = 1, kProcessName = 6;
inline constexpr uint32_t kThreadPid = 1, kThreadTid = 2, kThreadName = 5;
inline constexpr uint32_t kCounterMultiplier = 4, kCounterIncremental = 5;
} // namespace descriptor

namespace event {
inline constexpr uint32_t kCategoryIid = 3, kAnnotation = 4, kType = 9, kNameIid = 10, kTrack = 11, kCategory = 22,
                          kName = 23, kCounterValue = 30, kOldFlow = 36, kOldTerminatingFlow = 42, kDoubleValue = 44,
                          kFlow = 47, kTerminatingFlow = 48;
inline constexpr uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounterType = 4;
} // namespace event

namespace annotation {
inline constexpr uint32_t kNameIid = 1, kBool = 2, kUint = 3, kInt = 4, kDouble = 5, kString = 6, kPointer = 7,
                          kJson = 9, kName = 10, kDictEntry = 11, kArrayValue = 12, kStringIid = 17;
} // namespace annotation

namespace interned {
inline constexpr uint32_t kCategories = 1, kEventNames = 2, kAnnotationNames = 3, kStages = 24, kStrings = 29,
                          kCounters = 47, kKernels = 1000, kKernelArguments = 1001;
inline constexpr uint32_t kIid = 1, kName = 2, kDemangledName = 3, kStageCategory = 4;
inline constexpr uint32_t kCounterDescriptor = 2, kCounterGpu = 3, kCounterSpec = 1, kSpecId = 1, kSpecName = 2;
} // namespace interned

namespace stage {
inline constexpr uint32_t kEventId = 1, kDuration = 2, kExtra = 6, kGpu = 11, kQueueIid = 13, kStageIid = 14,
                          kName = 17, kWaits = 18, kKernelIid = 19, kNameIid = 20, kLaunch = 21;
inline constexpr uint32_t kExtraName = 1, kExtraValue = 2;
inline constexpr uint32_t kGrid = 1, kBlock = 2, kArgument = 3;
inline constexpr uint32_t kArgumentNameIid = 1, kArgumentName = 2, kArgumentInt = 3, kArgumentUint = 4,
                          kArgumentDouble = 5, kArgumentString = 6;
inline constexpr uint64_t kCompute = 2; ///< category of a stage
} // namespace stage

namespace counter {
inline constexpr uint32_t kDescriptor = 1, kSample = 2, kGpu = 3, kDescriptorIid = 4;
inline constexpr uint32_t kSampleId = 1, kSampleInt = 2, kSampleDouble = 3;
} // namespace counter

namespace clocks {
inline constexpr uint32_t kClock = 1, kId = 1, kTime = 2, kIncremental = 3, kMultiplier = 4;
inline constexpr uint64_t kRealtime = 1, kBoottime = 6, kFirstOfSequence = 64;
} // namespace clocks

} // namespace riffle::perfetto
