/* SPDX-FileCopyrightText: The Riffle authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* The C interface of libriffle_collector.so, for programs and for the Python package. All functions may be called from
 * any thread and at any time, before the start and after the stop too; none throws, blocks or calls back. Those that
 * return int give 0 when they did what they say and a RIFFLE_E... code otherwise; riffle_last_error() then has the
 * sentence. Strings are UTF-8 and copied before the call returns. */

#ifdef __cplusplus
extern "C" {
#endif

#define RIFFLE_API __attribute__((visibility("default")))
#define RIFFLE_ABI_VERSION 1

enum {
    RIFFLE_OK = 0,
    RIFFLE_EINVAL = 1,  /* an argument or option is wrong */
    RIFFLE_ESTATE = 2,  /* not now: already started, not started */
    RIFFLE_EIO = 3,     /* the log cannot be written */
    RIFFLE_EOPTION = 4, /* no source can fill what an option asks for */
};

/* What the process loaded: RIFFLE_ABI_VERSION of the library. */
RIFFLE_API int riffle_abi_version(void);
/* The last error of this thread, never NULL. */
RIFFLE_API const char *riffle_last_error(void);

/* Starts recording. `options` is lines of KEY=VALUE; unknown keys are an error. Keys:
 *   dir=PATH          where the log's folder is made (default: the working directory)
 *   preset=light|normal|memory         (memory: normal, and what CUDA allocates and frees)
 *   cupti=0|1       whether CUDA is recorded (default 1)
 *   graphs=nodes|whole                 CUDA graphs as their kernels (default), or each launch as one, which costs less
 *   sample_ms=N     between measurements of the process and its GPUs (default 100, light 1000; 0: none)
 *   rank=N world_size=N local_rank=N   instead of what the launcher's variables say
 *   keep_seconds=S    flight recorder: keep the last S seconds (default 0: everything)
 *   max_bytes=N       stop recording, and say so, when the log has so many (default 0: no limit)
 *   ring_bytes=N      per thread, a power of two from 64 KiB to 64 MiB (default 4 MiB)
 *   memory_limit=N    of all buffers (default 256 MiB)
 *   paused=0|1        start paused: clocks, threads and open ranges are followed, nothing is written
 *   control=0|1       listen to riffle-cli control and to viewers of the same user, see riffle/control.h (default 1)
 *   quiet=0|1         say nothing on stderr when a schedule, a time or somebody else changes what is recorded
 * Which steps, ranks and times are recorded (default: everything from the start to the stop):
 *   schedule=wait=W,warmup=U,active=A,repeat=R,skip_first=S,skip_first_wait=0|1
 *                     as torch.profiler.schedule; steps are counted from the first one that is marked. It holds until
 * the program or somebody by control pauses or resumes: from then on they decide. step_mark=NAME    a range of this
 * name, alone or as NAME#12, begins a step; riffle_step() then does nothing ranks=0,1,8-15    in other ranks the start
 * is good, nothing is recorded, and riffle_stats has the state 4 start_after=S     begin S seconds after the start
 *   max_seconds=S     end S seconds after the begin
 * When what is kept is put aside, in folders LOG_dump1.rifflelog, LOG_dump2.rifflelog, ... beside the log:
 *   dump_signal=HUP|QUIT|USR1|USR2     when that signal comes; a handler that was there before still runs
 *   dump_slow_step_ms=N                after a step of more than N ms
 *   dump_slow_step_factor=F            after a step of more than F times the median of the last 64, such as 2.5
 *   max_dumps=N       of these at most (default 10)
 * NULL means the defaults. */
RIFFLE_API int riffle_start(const char *options);
/* Ends recording: what was recorded before the call is in the file when it returns. In the states 3 and 4 of
 * riffle_stats this is no error, and pause and resume do nothing. */
RIFFLE_API int riffle_stop(void);
/* Between pause and resume events are not recorded. Both end what a schedule decides. */
RIFFLE_API int riffle_pause(void);
RIFFLE_API int riffle_resume(void);
/* Waits until everything recorded before the call is in the file. RIFFLE_ESTATE in state 3: what came after the end is
 * not. */
RIFFLE_API int riffle_flush(void);
/* For programs with another user of CUPTI, such as torch.profiler: CUPTI has room for one. riffle_yield_cuda() returns
 * when CUPTI is free and what it had is kept; nothing arms it again until riffle_resume_cuda() was called as often.
 * Both may be called without a recording, too, and hold for later ones. RIFFLE_EIO: CUPTI was not given back in time.
 */
RIFFLE_API int riffle_yield_cuda(void);
RIFFLE_API int riffle_resume_cuda(void);
/* Says that the program calls the two above around every such user, so that the collector need not warn of them. */
RIFFLE_API void riffle_will_yield_cuda(void);
/* Links the files of the log as they are into a new folder `path` (flight recorder: the last seconds). */
RIFFLE_API int riffle_dump(const char *path);

/* Ranges nest per thread. An operator's shapes and sequence number are optional (NULL, -1). */
RIFFLE_API void riffle_range_push(const char *name);
RIFFLE_API void riffle_range_push_category(const char *name, const char *category);
RIFFLE_API void riffle_range_pop(void);
/* How many ranges of the calling thread are open, those of NVTX's default domain among them, also while paused; -1
 * where nothing is followed. */
RIFFLE_API int riffle_range_depth(void);
RIFFLE_API void riffle_mark(const char *name);
RIFFLE_API void riffle_counter(const char *name, const char *series, double value);
/* Ends the step that is open, if any, and begins step `number`; a negative number only ends it. */
RIFFLE_API void riffle_step(int64_t number);
/* What a reader should know of the process, such as the version of a framework. */
RIFFLE_API void riffle_process_info(const char *key, const char *value);

struct riffle_stats {
    uint32_t size;          /* in: sizeof(struct riffle_stats) */
    int32_t state;          /* 0 off, 1 recording, 2 paused, 3 ended by a schedule, a limit, an error or by control,
                               4 started, but not of the ranks that are recorded */
    uint64_t events;        /* recorded */
    uint64_t dropped;       /* lost because a buffer was full, or there was no memory for one */
    uint64_t bytes_written; /* in all files of the log, deleted ones too */
    uint64_t bytes_kept;    /* in the files that there are now */
    uint64_t buffer_bytes;  /* memory that the buffers hold */
    uint64_t threads;       /* seen */
    char path[1024];        /* of the log's folder, empty while there is none */
};
RIFFLE_API int riffle_get_stats(struct riffle_stats *stats);

#ifdef __cplusplus
}
#endif
