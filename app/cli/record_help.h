// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace riffle::cli {

/// The text below the options in `riffle-cli record --help`.
inline constexpr const char *kRecordFooter = R"(
Every process of the job that uses CUDA, NVTX, PyTorch operators, an optimizer of Paddle or the Python package
riffle_profiler writes its own log in DIR: HOST_rankR_PID.rifflelog. The log is written while the job runs and can be read
even if the job was killed; riffle-cli tail DIR follows it in another terminal. Ranks are taken from torchrun, DeepSpeed,
Paddle, MPI or Slurm. The program does not have to be changed.

Presets:
  light    kernels, copies, launches, NVTX ranges and steps
  normal   also the operators of PyTorch, operators, layers and stages of Paddle, driver calls, synchronisation
  memory   also allocations on the GPU

Steps come from the optimizers of PyTorch or Paddle: a step ends when the first optimizer that was seen has stepped. A program can
mark its own steps with riffle_step(), or with ranges that --step-mark names. If there are no steps, the recording is
by time, and a message says so.

Python stacks: --stacks says who called each operator. --stacks=sampled looks at the Python functions of all threads every
10 ms, in lanes of their own: choose it for what Python does between operators, such as loading data, tokenising or
waiting. Its times are estimates. --stacks=calls records every call of a Python function, which is exact and expensive.

With --keep you can save the last seconds while the job goes on: riffle-cli control dump, --dump-signal or
--dump-slow-step. The two options write up to ten dumps beside the log: HOST_rankR_PID_dump1.rifflelog and so on.

With --memory-history each process that uses CUDA through PyTorch writes DIR/HOST_rankR_TIME.pickle at its end, and when
memory runs out; riffle-cli memory shows it. With --on-oom the first out-of-memory error of a process leaves the folder
DIR/HOST_rankR_PID_oom: the snapshot, what the log keeps (with --keep 60, the last minute; otherwise everything), and
out_of_memory.txt with the Python stack and the rank. If the host's memory runs out, there is no snapshot, and the folder
is written only if the error ends the program. The program gets the error in every case. A killed process writes nothing.

With --compiled-observer the operators of PyTorch come from an observer that is compiled on this machine with CXX, c++, g++ or
clang++, once for each PyTorch, in some seconds while the job runs; until then, PyTorch's own observer works. It costs
less, reaches all threads, and with --shapes the recording also has types, strides and values of inputs, and of each
collective the group, its ranks, sizes and sequence number. Where it cannot be compiled, a message says why. Its files are
in $XDG_CACHE_HOME/riffle/observers. It is tested with PyTorch 2.9.1 and 2.15.0; --compiled-observer=any tries it with
others.

With --instead-of-torch-profiler the program's own torch.profiler.profile becomes Riffle's, so that the flags of Megatron,
Lightning, Accelerate or vLLM for a profile work unchanged. Its schedule and options decide what is recorded; --shapes,
--stacks, --modules and --preset memory add to them. The traces that it exports are written where it asks for them, as
JSON, and named at the end; each profile also leaves its log in DIR. What an option cannot give is said once, and the
program goes on. Nothing is recorded outside its profiles. In ranks that --ranks leaves out, torch.profiler stays as it is.

When the job has ended, record prints a verdict: the steps, how busy the devices were and why they were idle, the first
findings, and the command that opens the recording. It takes ten seconds at most, and never changes the exit code. Large
recordings get the command for the verdict instead.

CUPTI has one owner per process. Without --kineto the owner is the collector. With --kineto it is Kineto, and the log
contains no GPU events, only ranges, steps and what the preset adds. Riffle requests the trace from PyTorch as dynolog
does, after the first step: for the steps that --steps or --schedule choose, otherwise for --kineto-seconds; in the
latter case also when there has been no step for ten seconds.
Kineto counts the steps of every optimizer and polls once a second. Steps that are already over by then are replaced by
the next ones. Its traces are DIR/HOST_rankR_PID.json, one per cycle. They appear some seconds later, once complete.

Send the --dump-signal to the ids of the processes that record; launchers do not pass it on. The job's other processes
ignore it unless they handle it themselves. However, it kills programs that a recording process has started.

The command gets the signals INT, TERM, HUP, QUIT, USR1 and USR2 that record gets. If another tool has set an injection
in the environment (CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH), it is kept, and a message says what is not recorded.

Exit codes: the command's own, 128 + N if signal N killed it, 127 if it was not found, 126 if it could not be run; 0 if
--exit-after ended it and all processes that it had started; 1 if the collector is missing or DIR could not be created;
2 for a usage error.

Environment: RIFFLE_COLLECTOR is the path of libriffle_collector.so. By default, it is found beside this program.

Examples:
  riffle-cli record -- python train.py --batch 32
  riffle-cli record --steps 10:15 --exit-after -o traces -- torchrun --nproc-per-node 8 train.py
  riffle-cli record --schedule wait=8,warmup=1,active=3,repeat=2 --shapes -- python train.py
  riffle-cli record --kineto --steps 10:13 --shapes -o traces -- python train.py
  riffle-cli record --instead-of-torch-profiler -- torchrun --nproc-per-node 8 pretrain_gpt.py --profile --use-pytorch-profiler
  riffle-cli record --on-oom --keep 60 --open -- python train.py
  riffle-cli record --keep 60 --ranks 0,1 -- srun python train.py
  riffle-cli record --keep 20 --dump-slow-step 2.5x --step-mark train_step -- ./train
)";

} // namespace riffle::cli
