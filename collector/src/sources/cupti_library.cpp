// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_library.h"

#include "collector/src/loaded_library.h"

namespace riffle::collector {

bool cudaDriverWorks(bool starts, std::string &error)
{
    constexpr int kNotInitialized = 3;
    void *driver = loadedHandle("libcuda.so");
    if (!driver)
        error = "no CUDA driver in the process";
    if (!driver || starts)
        return driver;
    int (*deviceCount)(int *) = nullptr;
    int count = 0;
    const int result = findFunction(driver, "cuDeviceGetCount", deviceCount) ? deviceCount(&count) : kNotInitialized;
    if (result != 0 || count == 0)
        error = result == kNotInitialized ? "the process has not started CUDA" : "CUDA has no device here";
    return result == 0 && count > 0;
}

bool findCupti(CuptiLibrary &library, std::string &error)
{
    library.path = loadedLibrary("libcupti.so");
    if (library.path.empty()) {
        error = "the process has not loaded CUPTI (libcupti.so)";
        return false;
    }
    void *handle = loadedHandle("libcupti.so");
    if (!handle) {
        error = "cannot use " + library.path;
        return false;
    }
    cupti::Functions &to = library.functions;
    const auto find = [&](auto &function, const char *name) { return findFunction(handle, name, function); };
    const bool complete = find(to.getVersion, "cuptiGetVersion") & find(to.getResultString, "cuptiGetResultString") &
                          find(to.subscribe, "cuptiSubscribe") & find(to.unsubscribe, "cuptiUnsubscribe") &
                          find(to.registerCallbacks, "cuptiActivityRegisterCallbacks") &
                          find(to.enable, "cuptiActivityEnable") & find(to.disable, "cuptiActivityDisable") &
                          find(to.flushAll, "cuptiActivityFlushAll") &
                          find(to.nextRecord, "cuptiActivityGetNextRecord");
    find(to.subscribeNamed, "cuptiSubscribe_v2");
    find(to.registerTimestamp, "cuptiActivityRegisterTimestampCallback");
    find(to.timestamp, "cuptiGetTimestamp");
    find(to.setThreadIdType, "cuptiSetThreadIdType");
    find(to.enableAndDump, "cuptiActivityEnableAndDump");
    find(to.droppedRecords, "cuptiActivityGetNumDroppedRecords");
    find(to.callbackName, "cuptiGetCallbackName");
    if (!complete) {
        error = library.path + " lacks required functions";
        return false;
    }
    to.getVersion(&library.version);
    return true;
}

std::string resultText(const CuptiLibrary &library, cupti::Result result)
{
    const char *text = nullptr;
    if (library.functions.getResultString(result, &text) == cupti::kSuccess && text)
        return text;
    return "error " + std::to_string(result);
}

} // namespace riffle::collector
