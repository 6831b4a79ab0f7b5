// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/log_tables.h"
#include "collector/src/part_file.h"
#include "collector/src/step_summaries.h"
#include "collector/src/text_table.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct ZSTD_CCtx_s;

namespace riffle::collector {

/// The place of a log and its limits.
struct LogOptions {
    std::string folder;    ///< folder in which the log's own folder is created
    std::string label;     ///< name of the log's own folder, without its suffix
    int64_t keepNs = 0;    ///< how much time is kept, in ns; 0: everything
    uint64_t maxBytes = 0; ///< limit for all files together; 0: no limit
};

/// Turns rows of its tables into the files of a log. Used by one thread.
class LogWriter : public LogTables {
public:
    LogWriter();
    ~LogWriter();

    /// Creates the log's folder and its first file. Returns false and sets error() on failure.
    bool open(const LogOptions &options);
    bool isOpen() const { return m_file.isOpen(); }
    const std::string &path() const { return m_path; }
    const SessionId &session() const { return m_session; }
    const std::string &error() const { return m_error; } ///< a sentence; empty if there was no error
    bool isFull() const { return m_full; }               ///< maxBytes reached
    uint64_t bytesWritten() const { return m_bytesWritten; }
    uint64_t bytesKept() const;
    /// The number of the file that is being written; earlier files are complete.
    uint32_t sequence() const { return m_sequence; }
    /// The size of that file; everything before that point is complete.
    uint64_t bytesOfFile() const { return m_file.bytes(); }

    /// The id of a text in the file that is being written; valid until flush().
    uint32_t text(std::string_view text);
    /// A number that changes when the ids of texts become invalid.
    uint32_t textGeneration() const { return m_textGeneration; }
    void processInfo(std::string_view key, std::string_view value);
    /// With `sampledEvery` in ns, the index is that of a lane with samples of the thread.
    void thread(uint32_t index, int osThread, std::string_view name, int64_t sampledEvery = 0);
    /// Records a property of a device, or of a context or stream on it.
    void device(uint32_t index, std::string_view key, std::string_view value);
    /// From `time` on, `source` records nothing on this thread (no thread: nowhere), until gapEnds(). Does nothing if
    /// such a gap is open.
    void gapBegins(std::optional<uint32_t> thread, std::string_view source, std::string_view reason, int64_t time);
    void gapEnds(std::optional<uint32_t> thread, std::string_view source, int64_t time);
    /// Ends the gaps of a thread that has ended.
    void gapsEnd(uint32_t thread, int64_t time);

    /// True if enough rows are waiting to be written.
    bool isDue() const
    {
        return m_due || ranges.rows() + marks.rows() + counters.rows() + kernels.rows() + copies.rows() + calls.rows() +
                                syncs.rows() + overheads.rows() + externals.rows() + allocations.rows() +
                                pythonFrames.rows() >=
                            kRowsPerChunk;
    }
    /// Writes the waiting rows, starts the next file if this one is long enough, and deletes files that are too old.
    bool flush();
    /// The figures of steps, which have a file of their own. Sources tell it what they write.
    StepSummaries summaries;
    /// Writes the summaries of the steps that ended before `until`, with the next flush.
    void summarize(int64_t until) { summaries.addRows(until, m_stepRows); }
    void close();

    /// Links the current files into a new folder and continues in a new file. Returns an error message, or an empty
    /// string on success.
    std::string linkInto(const std::string &folder);

private:
    static constexpr uint32_t kRowsPerChunk = 32 * 1024;
    static constexpr size_t kTextsPerChunk = 1 << 20;
    static constexpr uint64_t kFileBytes = wire::kMaxFileBytes - (8u << 20); ///< leaves room for one more flush
    struct Kept {
        std::string path;
        uint64_t bytes;
        int64_t begin;
    };
    struct Thread {
        int osThread = 0;
        std::string name;
        int64_t sampledEvery = 0;
    };
    struct GapKey {
        std::optional<uint32_t> thread;
        std::string source;
        auto operator<=>(const GapKey &) const = default;
    };
    struct Gap {
        std::string reason;
        int64_t start;
    };

    bool beginFile();
    bool write(ChunkBuilder &builder);
    bool writeTo(PartFile &file, ChunkBuilder &builder);
    bool writeSteps();
    bool writeFacts();
    bool fail(int error, const std::string &what);
    void dropOld();
    void listGaps();
    void gapRow(const GapKey &key, const Gap &gap, int64_t time);

    LogOptions m_options;
    SessionId m_session{};
    PartFile m_file, m_stepFile; ///< m_stepFile is created when the first step has ended
    std::string m_path, m_error, m_packed;
    uint32_t m_sequence = 0, m_textGeneration = 0;
    int m_writeError = 0; ///< the errno of the last write
    uint64_t m_bytesWritten = 0;
    std::vector<Kept> m_kept; ///< the files that exist; the last one is being written
    bool m_full = false, m_due = false;
    TextTable m_texts;
    std::map<std::string, std::string, std::less<>> m_info;
    std::map<uint32_t, Thread> m_threads;
    std::map<std::pair<uint32_t, std::string>, std::string> m_devices;
    std::map<GapKey, Gap> m_openGaps;
    bool m_gapsChanged = false; ///< the open gaps are not those of the last OpenGaps chunk
    ChunkBuilder m_strings, m_process, m_threadRows, m_stepRows;
    ZSTD_CCtx_s *m_compressor;
};

} // namespace riffle::collector
