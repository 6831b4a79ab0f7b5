// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"
#include "model/ingest/gathering/gathered_files.h"
#include "model/trace/run/run_layout.h"

#include <string>
#include <vector>

namespace riffle {

/// Returns a file as layoutOf() takes it, with what can be told without reading it: the kind by its first bytes, and
/// what its begin and its end record (Importer::peek). What it tells is a hint until the file is read. `RunFile::why`
/// says what is wrong with a file that is not there or belongs to no run (whyForeign()). Takes about as long as reading
/// a page, or inflating up to a MiB. `name` is the path as the user would write it.
RunFile peekedRecord(const std::string &path, const std::string &name);

/// The same for all files that were found, in parallel and in their order. If the task is stopped, some of them have
/// their names only.
std::vector<RunFile> runFilesOf(const GatheredFiles &found, const Task &task);

} // namespace riffle
