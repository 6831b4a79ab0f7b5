// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

namespace riffle {

struct QueryExample {
    const char *title; ///< translated in the context riffle::QueryView
    const char *sql;
};

/// Queries to start with. Each works for every trace.
inline constexpr QueryExample kQueryExamples[] = {
    {QT_TRANSLATE_NOOP("riffle::QueryView", "Kernels by total time"),
     "select name, count(*) as calls, sum(dur) as total, avg(dur) as mean, max(dur) as longest\n"
     "from kernels group by name order by total desc"},
    {QT_TRANSLATE_NOOP("riffle::QueryView", "The longest kernels"),
     "select id, trace, name, ts, dur, stream from kernels order by dur desc limit 100"},
    {QT_TRANSLATE_NOOP("riffle::QueryView", "Operators by input shapes"),
     "select name, input_dims, count(*) as calls, sum(dur) as total\n"
     "from operators group by name, input_dims order by total desc"},
    {QT_TRANSLATE_NOOP("riffle::QueryView", "Slow launches"),
     "select id, trace, name, ts, dur, device_name, delay from launches order by dur desc limit 100"},
    {QT_TRANSLATE_NOOP("riffle::QueryView", "Copies by size"),
     "select name, bytes, count(*) as copies, sum(dur) as total, sum(bytes) * 1.0 / sum(dur) as gb_per_s\n"
     "from copies group by name, bytes order by total desc"},
    {QT_TRANSLATE_NOOP("riffle::QueryView", "Arguments of the longest slices"),
     "select s.id, s.trace, s.name, s.dur, a.key, a.value\n"
     "from (select * from slices order by dur desc limit 10) s\n"
     "join args a on a.slice_id = s.id and a.trace = s.trace"},
    {QT_TRANSLATE_NOOP("riffle::QueryView", "Tables and columns"),
     "select table_name, name, type, meaning from columns"},
};

} // namespace riffle
