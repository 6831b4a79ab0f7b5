/* SPDX-FileCopyrightText: The Riffle authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* The C interface of libriffle_collector.so, for programs and for the Python package. All functions may be called from
 * any thread at any time, including before the start and after the stop; none throws, blocks or calls back. A function
 * that returns int returns 0 on success and a RIFFLE_E... code otherwise; riffle_last_error() then returns the message.
 * Strings are UTF-8 and are copied before the call returns. */

#ifdef __cplusplus
extern "C" {
#endif

#define RIFFLE_API __attribute__((visibility("default")))
#define RIFFLE_ABI_VERSION 1

enum {
    RIFFLE_OK = 0,
    RIFFLE_EINVAL = 1,  /* an argument or option is invalid */
    RIFFLE_ESTATE = 2,  /* not possible in this state: already started, or not started */
    RIFFLE_EIO = 3,     /* the log cannot be written */
    RIFFLE_EOPTION = 4, /* no source can provide what an option requests */
};

/* The RIFFLE_ABI_VERSION of the library that the process loaded. */
RIFFLE_API int riffle_abi_version(void);
/* The last error message of this thread; never NULL. */
RIFFLE_API const char *riffle_last_error(void);

/* Starts recording. `options` consists of lines of KEY=VALUE; unknown keys are an error. Keys:
 *   dir=PATH          the folder in which the log's folder is created (default: the working directory)
 *   preset=light|normal|memory         (memory: normal, plus what CUDA allocates and frees)
 *   cupti=0|1         record CUDA (default 1)
 *   graphs=nodes|whole                 record a CUDA graph as its kernels (default), or each launch as one event,
 *                     which costs less
 *   sample_ms=N       interval between measurements of the process and its GPUs (default 100, light 1000; 0: none)
 *   rank=N world_size=N local_rank=N   override the launcher's variables
 *   keep_seconds=S    flight recorder: keep the last S seconds (default 0: everything)
 *   max_bytes=N       stop recording, and say so, when the log has reached N bytes (default 0: no limit)
 *   ring_bytes=N      buffer size per thread, a power of two from 64 KiB to 64 MiB (default 4 MiB)
 *   memory_limit=N    limit for all buffers together, in bytes (default 256 MiB)
 *   paused=0|1        start paused: clocks, threads and open ranges are tracked, but nothing is written
 *   operators=0|1     record PyTorch's operators (default 1, light 0); needs Riffle's Python part, which riffle-cli
 *                     record puts into a job
 *   shapes=0|1        with the shapes of their inputs (default 0); also by the Python part
 *   stacks=0|operators|sampled|calls   record Python stacks (default 0): those of each outermost operator, which 1
 *                     stands for; those of all threads at regular times; or every Python call as a range. Needs
 *                     riffle_python_stacks(1)
 *   stack_sample_ms=N the interval of sampled stacks in ms (default 10, 1 to 1000)
 *   modules=0|1       record the forward calls of torch.nn modules (default 0); by the Python part
 *   memory_history=N  make PyTorch keep its last N allocations and frees on the GPU, with stacks, for a snapshot
 *                     (default 0: leave its history alone); by the Python part
 *   control=0|1       listen to riffle-cli control and to viewers of the same user, see riffle/control.h (default 1)
 *   quiet=0|1         print nothing on stderr when a schedule, a time limit or another process changes what is recorded
 * Options for the steps, ranks and times to record (default: everything from the start to the stop):
 *   schedule=wait=W,warmup=U,active=A,repeat=R,skip_first=S,skip_first_wait=0|1
 *                     same meaning as in torch.profiler.schedule; steps are counted from the first one that is marked.
 *                     The schedule applies until the program, or another process by control, pauses or resumes;
 *                     from then on only pause and resume decide.
 *   step_mark=NAME    a range with this name, alone or as NAME#12, starts a step; riffle_step() then does nothing
 *   ranks=0,1,8-15    in other ranks the start succeeds, nothing is recorded, and riffle_stats reports state 4
 *   start_after=S     start recording S seconds after riffle_start()
 *   max_seconds=S     stop S seconds after recording has started
 * Options for dumps, which save what is kept in folders LOG_dump1.rifflelog, LOG_dump2.rifflelog, ... beside the log:
 *   dump_signal=HUP|QUIT|USR1|USR2     dump on that signal; a handler that was installed before still runs
 *   dump_slow_step_ms=N                dump after a step of more than N ms
 *   dump_slow_step_factor=F            dump after a step longer than F times the median of the last 64, such as 2.5
 *   max_dumps=N       write at most N of these dumps (default 10)
 * NULL means the defaults. */
RIFFLE_API int riffle_start(const char *options);
/* Stops recording: everything recorded before the call is in the file when the call returns. In the states 3 and 4 of
 * riffle_stats this is not an error, and pause and resume do nothing. */
RIFFLE_API int riffle_stop(void);
/* Stops recording and control from outside for good, as the library's destructor does. For runtimes that end before the
 * destructors run, and whose threads may still run then. */
RIFFLE_API void riffle_close(void);
/* Between pause and resume, events are not recorded. Each of the two also ends the schedule. */
RIFFLE_API int riffle_pause(void);
RIFFLE_API int riffle_resume(void);
/* Waits until everything recorded before the call is in the file. RIFFLE_ESTATE in state 3: what was recorded after the
 * end is not in the file. */
RIFFLE_API int riffle_flush(void);
/* For programs with another user of CUPTI, such as torch.profiler: CUPTI supports only one user at a time.
 * riffle_yield_cuda() returns when CUPTI is free and its records are saved; CUPTI is not armed again until
 * riffle_resume_cuda() has been called as many times. Both may also be called while nothing is recorded, and then apply
 * to later recordings. RIFFLE_EIO: CUPTI was not released in time. */
RIFFLE_API int riffle_yield_cuda(void);
RIFFLE_API int riffle_resume_cuda(void);
/* Declares that the program calls the two functions above around every other user of CUPTI, so that the collector need
 * not warn about them. */
RIFFLE_API void riffle_will_yield_cuda(void);
/* For the option stacks, in programs of Python. riffle_python_stacks(1) is called with the GIL held and from Python
 * code. It checks that the frames of this interpreter can be read from memory, and allows it from then on;
 * RIFFLE_EOPTION: they cannot, and the message says why. riffle_python_stacks(0) returns when no thread reads frames
 * any more; it must be called before the interpreter ends, for example by atexit. Both may be called while nothing is
 * recorded. */
RIFFLE_API int riffle_python_stacks(int allow);
/* For stacks=calls; both are called with the GIL held and from Python code. riffle_python_calls() gives the
 * interpreter's threads a profile function, and with NULL takes it away again. `prefixes` are beginnings of paths, one
 * per line, that the calls' names leave out. RIFFLE_EOPTION: calls cannot be recorded; RIFFLE_ESTATE: not in all
 * threads, because the program has a profile function of its own there. riffle_python_calls_join() gives it to the
 * calling thread, and returns RIFFLE_ESTATE if none is recorded. riffle_python_stacks(0) takes it away, too. */
RIFFLE_API int riffle_python_calls(const char *prefixes);
RIFFLE_API int riffle_python_calls_join(void);
/* Links the log's current files into a new folder `path` (flight recorder: the last seconds). */
RIFFLE_API int riffle_dump(const char *path);

/* Ranges nest per thread. An operator's shapes and sequence number are optional (NULL, -1). */
RIFFLE_API void riffle_range_push(const char *name);
RIFFLE_API void riffle_range_push_category(const char *name, const char *category);
RIFFLE_API void riffle_range_pop(void);
/* The number of open ranges of the calling thread, including those in NVTX's default domain, even while paused; -1 when
 * ranges are not tracked. */
RIFFLE_API int riffle_range_depth(void);
RIFFLE_API void riffle_mark(const char *name);
RIFFLE_API void riffle_counter(const char *name, const char *series, double value);
/* Ends the open step, if any, and starts step `number`; a negative number only ends the open step. */
RIFFLE_API void riffle_step(int64_t number);
/* Says that `source`, such as "operators", records nothing on this thread until riffle_gap_end() or the end of the
 * thread, so that readers do not take the silence for idle time. Also counts while paused. */
RIFFLE_API void riffle_gap_begin(const char *source, const char *reason);
RIFFLE_API void riffle_gap_end(const char *source);
/* Records the events that Paddle reports in this process, until it is called with NULL. `categories` consists of lines
 * of NUMBER=CATEGORY: the value of each of Paddle's TracerEventType to record, and the log's category for it.
 * RIFFLE_EOPTION: Paddle is not loaded, or does not have the functions through which it reports events. */
RIFFLE_API int riffle_paddle_events(const char *categories);
/* 1 if PyTorch reports the tasks of its ITT observer to this library: INTEL_LIBITTNOTIFY64 named it when PyTorch first
 * used ITT. Otherwise 0. */
RIFFLE_API int riffle_itt_connected(void);
/* Adds information about the process for readers of the log, such as the version of a framework. */
RIFFLE_API void riffle_process_info(const char *key, const char *value);

struct riffle_stats {
    uint32_t size;          /* in: sizeof(struct riffle_stats) */
    int32_t state;          /* 0 off, 1 recording, 2 paused, 3 ended by a schedule, a limit, an error or by control,
                               4 started, but this rank is not recorded */
    uint64_t events;        /* recorded events */
    uint64_t dropped;       /* events lost because a buffer was full, or there was no memory for one */
    uint64_t bytes_written; /* bytes in all files of the log, including deleted ones */
    uint64_t bytes_kept;    /* bytes in the files that exist now */
    uint64_t buffer_bytes;  /* memory used by the buffers */
    uint64_t threads;       /* threads seen so far */
    char path[1024];        /* path of the log's folder; empty while there is none */
};
RIFFLE_API int riffle_get_stats(struct riffle_stats *stats);

/* For Riffle's Python part: what the recording wants from it. The library writes this struct, which is in its memory
 * and stays there while the process lives, so reading it costs no call. */
struct riffle_wishes {
    uint32_t size;      /* sizeof(struct riffle_wishes) */
    uint32_t changes;   /* grows after each change of the members below */
    uint32_t operators; /* 1: operators are worth their cost now: they are recorded, or the warm-up has started */
    uint32_t shapes;    /* 1: with the shapes of their inputs */
    uint32_t
        memory_history; /* the number of allocations that PyTorch should keep; 0: the library does not ask for any */
    uint32_t steps;     /* 1: steps are worth marking: a recording goes on, even if it is paused */
    uint32_t modules;   /* 1: forward calls of torch.nn modules are wanted now, as ranges */
    uint32_t stacks;    /* Python stacks: 0 none, 1 those of operators, 2 sampled ones, 3 every call */
};
RIFFLE_API const struct riffle_wishes *riffle_agent_wishes(void);
/* The Python part has followed the wishes up to `changes`. `text` consists of lines of KEY=VALUE: agent=VERSION,
 * operators=on|off|later, memory_history=N, and note=SENTENCE for each wish that it cannot fulfil. */
RIFFLE_API void riffle_agent_says(uint32_t changes, const char *text);
/* The interpreter is about to end: the library does not call into it any more. */
RIFFLE_API void riffle_agent_ends(void);

/* For an observer of PyTorch's operators in the process, such as the one that Riffle's Python part compiles. */
struct riffle_operator {
    uint32_t size;           /* sizeof(struct riffle_operator) */
    uint32_t is_range;       /* 1: a range that the program has opened, 0: an operator */
    int64_t sequence;        /* autograd sequence number; negative if there is none */
    uint64_t forward_thread; /* of a backward node: PyTorch's number of the thread of the forward operator */
    uint64_t id;             /* PyTorch's number of the call; numbers grow */
    const char *name;
    /* What the operator was called with, as JSON with an entry for each input: sizes of tensors, types, strides of
     * tensors, values of scalars. `input_bytes` are their lengths; 0: not known. */
    const char *inputs[4];
    uint32_t input_bytes[4];
};
/* A call of a process group. Texts may be null, and numbers negative, if they are not known. */
struct riffle_collective {
    uint32_t size;           /* sizeof(struct riffle_collective) */
    int64_t sequence;        /* the number of the call within its group, as the group's backend counts */
    const char *operation;   /* such as "allreduce" */
    const char *data_type;   /* of the elements, such as "Float" */
    const char *group;       /* the name of the group */
    const char *description; /* of the group */
    const char *ranks;       /* of the group: JSON with the global ranks */
    const char *in_split;    /* of an all-to-all: JSON with the elements for each rank */
    const char *out_split;
    int64_t in_elements; /* what this rank gives and gets */
    int64_t out_elements;
    int64_t group_size;
    int64_t rank; /* within the group */
    int64_t source_rank;
    int64_t destination_rank; /* of point-to-point communication: global ranks */
};
/* Functions as in this interface; `size` is that of the struct. Operators nest per thread, between begin() and end(),
 * together with the ranges of riffle_range_push(). One that may end on another thread lasts from start() to finish(),
 * which takes its id. collective() says that the innermost open operator of this thread is a call of a process group.
 * If it has been said of operators around it, the innermost one stands for them, with what only they know. */
struct riffle_operator_functions {
    uint32_t size;
    void (*begin)(const struct riffle_operator *);
    void (*end)(void);
    void (*start)(const struct riffle_operator *);
    void (*finish)(uint64_t id);
    void (*collective)(const struct riffle_collective *);
};
RIFFLE_API const struct riffle_operator_functions *riffle_observer_functions(void);

#ifdef __cplusplus
}
#endif
