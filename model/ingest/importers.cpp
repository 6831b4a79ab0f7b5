// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/column_memory.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/chrome_json/importer.h"
#include "model/ingest/collector_log/collector_log.h"
#include "model/ingest/collector_log/importer.h"
#include "model/ingest/importer.h"

namespace riffle {

std::shared_ptr<ColumnMemory> columnMemory(const ImportOptions &options)
{
    // An eighth is left for everything outside the columns: strings, tables, lists per lane, text that is being read.
    return std::make_shared<ColumnMemory>(options.memoryLimit - options.memoryLimit / 8, options.spillFolder);
}

Result<std::shared_ptr<const Trace>> importTrace(const std::string &path, const ImportOptions &options, Task task)
{
    if (CollectorLog::isLog(path))
        return importCollectorLog(path, options, std::move(task));
    const auto open = [&] {
        ByteSourceOptions sourceOptions;
        sourceOptions.inflateLimit = options.inflateLimit;
        sourceOptions.spillFolder = options.spillFolder;
        return ByteSource::open(path, sourceOptions);
    };
    return importChromeJson(path, open, options, std::move(task));
}

} // namespace riffle
