// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory/memory_kinds.h"

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/base/quoted_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace riffle::cli {

FileKind memoryKind(const std::string &path)
{
    const FileKind kind = importerOf(path).kind;
    return isAboutMemory(kind) ? kind : FileKind::Snapshot;
}

int otherMemoryInfo(const std::string &path, const MemoryQuestion &question)
{
    return memoryKind(path) == FileKind::MemoryLog ? logInfo(path, question) : timelineInfo(path, question);
}

int otherMemoryAnswer(const std::string &path, const MemoryQuestion &question)
{
    return memoryKind(path) == FileKind::MemoryLog ? logAnswer(path, question) : timelineAnswer(path, question);
}

int codeOf(const Error &error)
{
    return error.kind == ErrorKind::Limit ? LimitExceeded : error.kind == ErrorKind::Question ? Usage : Unreadable;
}

void printMemoryTable(const ResultTable &table, const MemoryQuestion &question)
{
    const bool isForMachines = question.format == "json" || question.format == "csv";
    if (isForMachines && !table.absence.empty())
        complain(table.view + ": " + table.absence);
    size_t count = table.rows();
    if (question.limit > 0) // 0 for all rows
        count = std::min(count, static_cast<size_t>(question.limit));
    std::vector<uint32_t> rows(count);
    std::iota(rows.begin(), rows.end(), 0u);
    PrintOptions print;
    print.rowsLeftOut = static_cast<int64_t>(table.rows() - count);
    fmt::print("{}", question.format == "json"  ? tableJson(table, rows)
                     : question.format == "csv" ? tableCsv(table, rows)
                     : question.format == "md"  ? tableMarkdown(table, rows, print)
                                                : tableForPeople(table, rows, print));
}

std::string jsonDamage(const std::optional<Error> &damage)
{
    return fmt::format("\"damage\": {}, \"damage_offset\": {},", damage ? jsonString(damage->message) : "null",
                       damage && damage->offset ? std::to_string(*damage->offset) : "null");
}

std::string jsonTroubles(const std::vector<FileTrouble> &troubles)
{
    return jsonList(troubles, [](const FileTrouble &trouble) {
        return fmt::format("{{\"what\": {}, \"count\": {}, \"first_offset\": {}}}", jsonString(trouble.what),
                           trouble.count, trouble.firstOffset);
    });
}

} // namespace riffle::cli
