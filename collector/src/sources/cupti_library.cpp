// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_library.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string_view>

namespace riffle::collector {

namespace {

struct Search {
    const char *prefix;
    std::string path;
};

/// The path of a loaded library whose file name begins with the prefix.
std::string loaded(const char *prefix)
{
    Search search{prefix, {}};
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *data) {
            Search &wanted = *static_cast<Search *>(data);
            const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
            const std::string_view name = path.substr(path.rfind('/') + 1);
            if (!name.starts_with(wanted.prefix))
                return 0;
            wanted.path = path;
            return 1;
        },
        &search);
    return search.path;
}

} // namespace

bool cudaDriverIsLoaded() { return !loaded("libcuda.so").empty(); }

bool findCupti(CuptiLibrary &library, std::string &error)
{
    library.path = loaded("libcupti.so");
    if (library.path.empty()) {
        error = "the process has not loaded CUPTI (libcupti.so)";
        return false;
    }
    void *handle = dlopen(library.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (!handle) {
        error = "cannot use " + library.path;
        return false;
    }
    cupti::Functions &to = library.functions;
    const auto find = [&](auto &function, const char *name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
        return function != nullptr;
    };
    const bool complete = find(to.getVersion, "cuptiGetVersion") & find(to.getResultString, "cuptiGetResultString") &
                          find(to.subscribe, "cuptiSubscribe") & find(to.unsubscribe, "cuptiUnsubscribe") &
                          find(to.registerCallbacks, "cuptiActivityRegisterCallbacks") & find(to.enable, "cuptiActivityEnable") &
                          find(to.disable, "cuptiActivityDisable") & find(to.flushAll, "cuptiActivityFlushAll") &
                          find(to.nextRecord, "cuptiActivityGetNextRecord");
    find(to.getTimestamp, "cuptiGetTimestamp");
    find(to.registerTimestamp, "cuptiActivityRegisterTimestampCallback");
    find(to.setThreadIdType, "cuptiSetThreadIdType");
    find(to.enableAndDump, "cuptiActivityEnableAndDump");
    find(to.droppedRecords, "cuptiActivityGetNumDroppedRecords");
    find(to.callbackName, "cuptiGetCallbackName");
    if (!complete) {
        error = library.path + " lacks functions that are needed";
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
