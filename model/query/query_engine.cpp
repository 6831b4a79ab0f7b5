// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/query_engine.h"

#include "model/analysis/search/text_matcher.h"
#include "model/base/format.h"
#include "model/base/stopping.h"
#include "model/query/query_snapshot.h"
#include "model/query/result_builder.h"
#include "model/query/summary_module.h"
#include "model/query/virtual_table.h"

#include <sqlite3.h>

namespace riffle {

namespace {

constexpr size_t kRowsPerPiece = 4096; ///< of a streamed answer
constexpr uint64_t kBytesPerPiece = 8 << 20;
constexpr int kMostTextBytes = 64 << 20; ///< of one value
constexpr int kMostQueryBytes = 1 << 20;
constexpr int kStepsBetweenLooks = 4096; ///< of SQLite's virtual machine

Error stoppedError() { return {"The query was stopped.", {}, {}, ErrorKind::Cancelled}; }

constexpr const char *kOnlySelect = "A query can only read: SELECT … or WITH … SELECT.";

int authorize(void *given, int action, const char *, const char *function, const char *, const char *)
{
    if (static_cast<const QuerySource *>(given)
            ->declaring) // SQLite parses the declaration of one of our tables; nothing runs
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return sqlite3_stricmp(function, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

/// Limits the memory of SQLite, which is that of the process, while a query runs.
class HeapLimit {
public:
    explicit HeapLimit(uint64_t bytes) { sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(bytes)); }
    ~HeapLimit()
    {
        sqlite3_hard_heap_limit64(0);
        sqlite3_soft_heap_limit64(0); // a hard limit lowers it, too
    }
    HeapLimit(const HeapLimit &) = delete;
    HeapLimit &operator=(const HeapLimit &) = delete;
};

/// Implements `text REGEXP expression`; the expression is compiled once per query.
void regexp(sqlite3_context *context, int, sqlite3_value **values)
{
    const auto textOf = [](sqlite3_value *value) {
        const auto *text = reinterpret_cast<const char *>(sqlite3_value_text(value));
        return text ? std::string_view(text, static_cast<size_t>(sqlite3_value_bytes(value))) : std::string_view();
    };
    if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
        return;
    try {
        auto *matcher = static_cast<TextMatcher *>(sqlite3_get_auxdata(context, 0));
        std::unique_ptr<TextMatcher> made;
        if (!matcher) {
            const auto compiled = regexMatcher(std::string(textOf(values[0])), true);
            if (!compiled) {
                sqlite3_result_error(context, compiled.error().text().c_str(), -1);
                return;
            }
            made = std::make_unique<TextMatcher>(*compiled);
            matcher = made.get();
        }
        sqlite3_result_int(context, (*matcher)(textOf(values[1])));
        if (made)
            sqlite3_set_auxdata(context, 0, made.release(), [](void *old) { delete static_cast<TextMatcher *>(old); });
    } catch (const std::bad_alloc &) {
        sqlite3_result_error_nomem(context);
    }
}

struct Finalize {
    void operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

} // namespace

struct QueryEngine::Connection {
    using Snapshots = std::vector<std::shared_ptr<const SnapshotFacts>>;

    QuerySource source;
    sqlite3 *handle = nullptr;

    explicit Connection(SetFacts facts)
    {
        source.traces = std::move(facts);
        const std::span<const LoadedTrace> members = source.traces->set().loaded();
        for (uint32_t at = 0; at < members.size(); ++at)
            source.files.push_back(std::make_unique<QueryTrace>(*source.traces, members[at], at));
        open(queryTables());
        addSummaries(handle, source);
    }
    explicit Connection(const Snapshots &snapshots)
    {
        for (uint32_t at = 0; at < snapshots.size(); ++at)
            source.files.push_back(std::make_unique<QuerySnapshot>(snapshots[at], at, snapshots.size() > 1));
        open(snapshotTables());
    }
    ~Connection() { sqlite3_close(handle); }

    void open(std::span<const QueryTable> tables)
    {
        if (sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK) {
            sqlite3_close(handle);
            throw std::bad_alloc();
        }
        for (const QueryTable &table : tables)
            addTable(handle, table, source);
        sqlite3_create_function_v2(handle, "regexp", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
                                   regexp, nullptr, nullptr, nullptr);
        secure();
    }

    void secure()
    {
        // Beyond this cache size, sorting uses a temporary file.
        sqlite3_exec(handle, "PRAGMA cache_size = -65536; PRAGMA trusted_schema = 0", nullptr, nullptr, nullptr);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMostTextBytes);
        sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, kMostQueryBytes);
        sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
        sqlite3_set_authorizer(handle, authorize, &source);
    }

    /// True if the text contains no statement (comments are allowed).
    bool isBlank(const char *sql) const
    {
        sqlite3_stmt *statement = nullptr;
        const int problem = sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr);
        return Statement(statement) == nullptr && problem == SQLITE_OK;
    }

    /// A sentence that names all tables.
    std::string tablesText() const
    {
        std::string names;
        for (const QueryTable &table : source.files.empty() ? std::span<const QueryTable>() : source.files[0]->tables())
            names += (names.empty() ? "" : ", ") + std::string(table.name);
        return "The tables are " + names +
               (source.traces ? " and, for each view of the summary, summary_VIEW." : std::string("."));
    }

    Error failed(int code, const QueryRun &run) const
    {
        if (run.error)
            return *run.error;
        if (run.late())
            return {"The query took longer than the time limit.", {}, {}, ErrorKind::Limit};
        if (code == SQLITE_INTERRUPT || run.stopped())
            return stoppedError();
        if (code == SQLITE_NOMEM)
            return memoryLimitError(run.mostBytes);
        if (code == SQLITE_AUTH)
            return {kOnlySelect, {}, {}, ErrorKind::Question};
        const int offset = sqlite3_error_offset(handle);
        const std::string message = sqlite3_errmsg(handle);
        return {message.starts_with("no such table") ? message + ". " + tablesText() : message,
                {},
                offset < 0 ? std::nullopt : std::optional<uint64_t>(offset),
                ErrorKind::Question};
    }

    Result<ResultTable> answer(const std::string &sql, const Limits &limits, const QueryRun &run,
                               const Sink &sink) const
    {
        if (sql.find('\0') != sql.npos)
            return Error{"A query must not contain a null byte.", {}, sql.find('\0'), ErrorKind::Question};
        sqlite3_stmt *prepared = nullptr;
        const char *rest = nullptr;
        const int problem = sqlite3_prepare_v2(
            handle, sql.c_str(), static_cast<int>(std::min<size_t>(sql.size(), INT32_MAX - 1)) + 1, &prepared, &rest);
        const Statement statement(prepared);
        if (problem != SQLITE_OK)
            return failed(problem, run);
        if (!statement)
            return Error{"The query is empty.", {}, {}, ErrorKind::Question};
        if (!isBlank(rest))
            return Error{
                "Run one query at a time.", {}, static_cast<uint64_t>(rest - sql.c_str()), ErrorKind::Question};
        if (!sqlite3_stmt_readonly(prepared) || sqlite3_column_count(prepared) == 0)
            return Error{kOnlySelect, {}, {}, ErrorKind::Question};

        ResultBuilder result(prepared, source.traces ? &source.traces->set() : nullptr);
        for (size_t rows = 0;; ++rows) {
            const int step = sqlite3_step(prepared);
            if (step == SQLITE_DONE)
                return result.finish();
            if (step != SQLITE_ROW)
                return failed(step, run);
            if (rows == limits.rows) {
                ResultTable table = result.finish();
                table.notes.push_back("There are more rows than the " + formatCount(static_cast<int64_t>(limits.rows)) +
                                      " shown.");
                return table;
            }
            result.addRow();
            if (sink && (result.rows() == kRowsPerPiece || result.bytes() > kBytesPerPiece) && !sink(result.takeRows()))
                return stoppedError();
            if (result.bytes() > limits.bytes)
                return memoryLimitError(limits.bytes);
        }
    }
};

QueryEngine::QueryEngine(SetFacts facts) : m_connection(std::make_unique<Connection>(std::move(facts))) {}

QueryEngine::QueryEngine(std::vector<std::shared_ptr<const SnapshotFacts>> snapshots)
    : m_connection(std::make_unique<Connection>(snapshots))
{
}

QueryEngine::~QueryEngine() = default;

Error memoryLimitError(uint64_t bytes)
{
    return {"The query needs more than " + formatBytes(static_cast<int64_t>(bytes)) + " of memory.",
            {},
            {},
            ErrorKind::Limit};
}

Result<ResultTable> QueryEngine::run(const std::string &sql, const Limits &limits, const Task &task)
{
    return stream(sql, limits, task, {});
}

Result<ResultTable> QueryEngine::stream(const std::string &sql, const Limits &limits, const Task &task,
                                        const Sink &sink)
{
    const std::lock_guard lock(m_mutex);
    QueryRun run{.task = task, .error = {}, .mostBytes = limits.bytes};
    if (limits.time)
        run.deadline = std::chrono::steady_clock::now() + *limits.time;
    const HeapLimit heapLimit(limits.bytes);
    m_connection->source.run = &run;
    sqlite3_progress_handler(
        m_connection->handle, kStepsBetweenLooks,
        [](void *given) { return int(static_cast<const QueryRun *>(given)->stopped()); }, &run);
    Result<ResultTable> answer = Error{"There is not enough memory for the answer.", {}, {}, ErrorKind::Limit};
    try {
        auto made = untilStopped(task.stop, [&] { return m_connection->answer(sql, limits, run, sink); });
        answer = made ? std::move(*made) : stoppedError();
    } catch (const std::bad_alloc &) { // `answer` already holds this error
    }
    sqlite3_progress_handler(m_connection->handle, 0, nullptr, nullptr);
    m_connection->source.run = nullptr;
    if (task.progress) {
        task.progress->events = run.rows;
        task.progress->stage = Progress::Stage::Done;
    }
    return answer;
}

} // namespace riffle
