// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/support/chunked_source.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/snapshot_difference.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace riffle::test {

/// Reads a pickle from memory and in pieces. Both must give the same result.
inline Result<std::shared_ptr<const MemorySnapshot>> readPickle(std::string_view bytes)
{
    ChunkedSource whole(bytes), pieces(bytes, 7);
    auto read = readMemoryPickle(whole, "snapshot", {});
    const auto again = readMemoryPickle(pieces, "snapshot", {});
    EXPECT_EQ(bool(read), bool(again));
    if (read && again) {
        EXPECT_EQ(snapshotDifference(**read, **again), "");
        EXPECT_EQ(snapshotProblem(**read), "");
    } else if (!read && !again) {
        EXPECT_EQ(read.error().text(), again.error().text());
    }
    return read;
}

/// The error that ends the reading, whether something was read before it or not.
inline Error faultOf(std::string_view bytes)
{
    const auto read = readPickle(bytes);
    if (!read)
        return read.error();
    return (*read)->damage.value_or(Error{"nothing was wrong", "", {}});
}

/// The bytes of a pickle that `write` writes.
template <typename Write>
std::string pickled(int protocol, Write write)
{
    std::string bytes;
    PickleWriter out([&](std::string_view piece) { bytes += piece; }, protocol);
    write(out);
    out.stop();
    return bytes;
}

/// Writes one frame {name, filename, line} as a dict.
inline void writeFrame(PickleWriter &out, std::string_view name, std::string_view file, int64_t line)
{
    out.emptyDict();
    out.mark();
    out.text("name");
    out.text(name);
    out.text("filename");
    out.text(file);
    out.text("line");
    out.integer(line);
    out.setItems();
}

/// Writes the fields that all entries have. More may follow until setItems().
inline void beginEntry(PickleWriter &out, std::string_view action, uint64_t address, int64_t size, int64_t stream = 0)
{
    out.emptyDict();
    out.mark();
    out.text("action");
    out.text(action);
    out.text("addr");
    out.address(address);
    out.text("size");
    out.integer(size);
    out.text("stream");
    out.integer(stream);
}

/// A snapshot without segments. `entries` writes the entries of device 0.
template <typename Write>
std::string historyPickle(int protocol, Write entries)
{
    return pickled(protocol, [&](PickleWriter &out) {
        out.emptyDict();
        out.mark();
        out.text("segments");
        out.emptyList();
        out.text("device_traces");
        out.emptyList();
        out.emptyList();
        out.mark();
        entries(out);
        out.appends();
        out.append();
        out.setItems();
    });
}

} // namespace riffle::test
