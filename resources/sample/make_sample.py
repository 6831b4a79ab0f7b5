#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the bundled sample: three training steps of a small GPT on two GPUs, one of them slower. The traces are generated,
not recorded, and say so themselves. Every run writes the same bytes.

    make_sample.py FOLDER            writes the traces of both ranks
    make_sample.py --check FOLDER    fails if the traces in the folder are not what this script writes
"""

import gzip
import json
import pathlib
import sys

from rank import MB, MS, US, Rank, meet

LAYERS, BATCH, TIME, WIDTH, HEADS, VOCABULARY, STEPS = 4, 8, 512, 1024, 16, 50304, 3
TOKENS = BATCH * TIME
ACTIVATION = TOKENS * WIDTH * 2
TERAFLOPS = 410
START = 4_512_000_000 * US
WORLD, METRICS = ("0", "default_pg"), ("1", "metrics")

GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_{}_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"
ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::{}, std::array<char*, {}ul> >(int, at::native::{}, std::array<char*, {}ul>)"
ADD = ELEMENTWISE.format("CUDAFunctor_add<c10::BFloat16>", 3, "CUDAFunctor_add<c10::BFloat16>", 3)
GELU = ELEMENTWISE.format("GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda(c10::BFloat16)#1}", 2, "GeluCUDAKernelImpl", 2)
LAYER_NORM = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)"
FLASH = "void pytorch_flash::flash_{}_kernel<pytorch_flash::Flash_{}_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_{}_params)"
REDUCE = "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16> > >(at::native::ReduceOp<c10::BFloat16>)"
SOFTMAX = "void at::native::(anonymous namespace)::cunn_SoftMax{}<8, c10::BFloat16, float, float, at::native::(anonymous namespace)::LogSoftMax{}Epilogue>(float*, c10::BFloat16 const*, int)"
ADAM = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<c10::BFloat16, 4> >(...)"
NORM = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::LpNormFunctor<c10::BFloat16, 2> >(...)"


def gemm(rank, name, rows, inner, columns, layout):
    with rank.op(name, [[rows, inner], [inner, columns]]):
        rank.kernel(GEMM.format(layout), 4 + 2 * rows * inner * columns / TERAFLOPS / 1e6, [max(1, columns // 128), max(1, rows // 128), 1],
                    (384, 1, 1), 168, 227_328)


def pointwise(rank, name, kernel, size=ACTIVATION, tensors=3):
    rank.kernel(kernel, 2 + size * tensors / 2.4e6, [max(1, size // 1024), 1, 1], registers=32)


def linear(rank, inner, columns, number, bias=True):
    """A Linear module with its backward pass."""
    with rank.frame(f"nn.Module: Linear_{number}", **{"Python module id": number}):
        with rank.op("aten::linear", [[BATCH, TIME, inner], [columns, inner], [columns]]) as forward:
            with rank.op("aten::t", [[columns, inner]]):
                rank.spend(300, 600)
            output = rank.allocate(TOKENS * columns * 2)
            gemm(rank, "aten::addmm" if bias else "aten::mm", TOKENS, inner, columns, "tn")

    def backward():
        gradient = rank.allocate(TOKENS * inner * 2)
        gemm(rank, "aten::mm", TOKENS, columns, inner, "nn")
        gemm(rank, "aten::mm", columns, TOKENS, inner, "nt")
        if bias:
            with rank.op("aten::sum", [[TOKENS, columns], [], []]):
                pointwise(rank, "aten::sum", REDUCE, TOKENS * columns * 2, 1)
        rank.release(output)
        rank.release(gradient)

    rank.record(forward, "AddmmBackward0" if bias else "MmBackward0", backward)


def simple(rank, operator, inner, gradient, forward_kernel, backward_kernel, size=ACTIVATION, shape=None):
    """An operator with one forward kernel and one backward kernel."""
    shape = shape or [BATCH, TIME, WIDTH]
    with rank.op(operator, [shape]) as forward:
        if inner:
            with rank.op(inner, [shape]):
                output = rank.allocate(size)
                pointwise(rank, inner, forward_kernel, size)
        else:
            output = rank.allocate(size)
            pointwise(rank, operator, forward_kernel, size)

    def backward():
        with rank.op((inner or operator) + "_backward", [shape, shape]):
            pointwise(rank, "", backward_kernel, size, 4)
        rank.release(output)

    rank.record(forward, gradient, backward)


def layer_norm(rank, number):
    with rank.frame(f"nn.Module: LayerNorm_{number}", **{"Python module id": number}):
        simple(rank, "aten::layer_norm", "aten::native_layer_norm", "NativeLayerNormBackward0", LAYER_NORM,
               LAYER_NORM.replace("layer_norm_kernel", "layer_norm_grad_input_kernel"))


def attention(rank, number):
    with rank.frame(f"nn.Module: CausalSelfAttention_{number}", **{"Python module id": number}):
        linear(rank, WIDTH, 3 * WIDTH, 4 * number)
        heads = [BATCH, HEADS, TIME, WIDTH // HEADS]
        with rank.op("aten::scaled_dot_product_attention", [heads] * 3):
            with rank.op("aten::_scaled_dot_product_flash_attention", [heads] * 3) as forward:
                output = rank.allocate(ACTIVATION)
                with rank.op("aten::_flash_attention_forward", [heads] * 3):
                    rank.kernel(FLASH.format("fwd", "fwd", "fwd"), 31, [TIME // 128, BATCH, HEADS], (128, 1, 1), 255, 81_920)

        def backward():
            with rank.op("aten::_scaled_dot_product_flash_attention_backward", [heads] * 5):
                rank.kernel(FLASH.format("bwd_dq_dk_dv_loop_seqk_parallel", "bwd", "bwd"), 84, [TIME // 128, BATCH, HEADS], (256, 1, 1),
                            255, 147_456)
            rank.release(output)

        rank.record(forward, "ScaledDotProductFlashAttentionBackward0", backward)
        linear(rank, WIDTH, WIDTH, 4 * number + 1)


def bucket_ready(rank, elements):
    """Records the reducer's hook, which runs after the last gradient of a bucket and launches an all-reduce."""

    def backward():
        with rank.op("torch.distributed.ddp.reducer::copy_bucket_to_view", [[elements]]):
            rank.collective("allreduce", elements, "BFloat16", WORLD)

    rank.record(None, "torch::autograd::AccumulateGrad", backward)


def block(rank, number):
    with rank.frame(f"nn.Module: Block_{number}", **{"Python module id": number}):
        bucket_ready(rank, 12 * WIDTH * WIDTH)
        layer_norm(rank, 2 * number)
        attention(rank, number)
        simple(rank, "aten::add", None, "AddBackward0", ADD, ADD)
        layer_norm(rank, 2 * number + 1)
        with rank.frame(f"nn.Module: MLP_{number}", **{"Python module id": number}):
            linear(rank, WIDTH, 4 * WIDTH, 4 * number + 2)
            simple(rank, "aten::gelu", None, "GeluBackward0", GELU, GELU.replace("Gelu", "GeluBackward"), 4 * ACTIVATION,
                   [BATCH, TIME, 4 * WIDTH])
            linear(rank, 4 * WIDTH, WIDTH, 4 * number + 3)
        simple(rank, "aten::add", None, "AddBackward0", ADD, ADD)


def model(rank):
    with rank.frame("nn.Module: DistributedDataParallel_0"), rank.annotation("DistributedDataParallel.forward"):
        with rank.frame("nn.Module: GPT_0"):
            bucket_ready(rank, VOCABULARY * WIDTH)
            with rank.frame("nn.Module: Embedding_0"):
                simple(rank, "aten::embedding", "aten::index_select", "EmbeddingBackward0",
                       "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, 2, -2, true>(...)",
                       "void at::native::(anonymous namespace)::embedding_backward_kernel<c10::BFloat16, float, long>(...)",
                       shape=[VOCABULARY, WIDTH])
            for number in range(LAYERS):
                block(rank, number)
            layer_norm(rank, 2 * LAYERS)
            linear(rank, WIDTH, VOCABULARY, 4 * LAYERS, bias=False)


def loss(rank):
    with rank.frame("torch/nn/functional.py(3458): cross_entropy"), rank.op("aten::cross_entropy_loss", [[TOKENS, VOCABULARY], [TOKENS]]):
        simple(rank, "aten::log_softmax", "aten::_log_softmax", "LogSoftmaxBackward0", SOFTMAX.format("Forward", "Forward"),
               SOFTMAX.format("Backward", "Backward"), TOKENS * VOCABULARY * 2, [TOKENS, VOCABULARY])
        simple(rank, "aten::nll_loss_nd", "aten::nll_loss_forward", "NllLossBackward0",
               "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<c10::BFloat16, float, long>(...)",
               "void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<c10::BFloat16, long>(...)", 4 * MB, [TOKENS])


def first_half(rank, number):
    """The step up to the end of the backward pass on the host. Its collectives stay pending until meet()."""
    with rank.frame("torch/utils/data/dataloader.py(732): __next__"), rank.annotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"):
        rank.spend(40 * US, 70 * US)
        if rank.rank == 1 and number == 2:
            rank.spend(3 * MS, 4 * MS)  # the data loader's worker was late
    for name in ("input", "target"):
        with rank.op("aten::to", [[BATCH, TIME], [], [], []]), rank.op("aten::copy_", [[BATCH, TIME], [BATCH, TIME], []], ["long int"] * 2 + ["Scalar"]):
            rank.copy("Memcpy HtoD (Pinned -> Device)", TOKENS * 8, 21)
    model(rank)
    loss(rank)
    with rank.frame("torch/_tensor.py(592): backward"):
        waits = rank.add(ph="X", cat="python_function", name="<built-in method run_backward of torch._C._EngineBase object>", pid=rank.pid,
                         tid=rank.tid, ts=rank.now, dur=0, args={"Python id": rank.python + 1, "Python parent id": rank.frames[-1]})
        rank.python += 1
        rank.spend(20 * US, 30 * US)
        rank.tid = rank.autograd
        rank.play_back()
        rank.tid = rank.main
        rank.spend(8 * US, 12 * US)
        waits["dur"] = rank.now - waits["ts"]


def second_half(rank):
    rank.wait_for_collectives()
    with rank.frame("torch/nn/utils/clip_grad.py(244): clip_grad_norm_"), rank.op("aten::_foreach_norm", [[VOCABULARY, WIDTH], []]):
        for part in range(2):
            rank.kernel(NORM, 41, [320, 1, 1], (512, 1, 1), 40)
    with rank.frame("torch/optim/optimizer.py(485): wrapper"), rank.annotation("Optimizer.step#AdamW.step"):
        with rank.op("aten::_fused_adamw_", [[VOCABULARY, WIDTH], [3 * WIDTH, WIDTH]]):
            for part in range(4):
                rank.kernel(ADAM, 188, [320, 1, 1], (512, 1, 1), 60)
    with rank.frame("train.py(74): log_loss"):
        with rank.op("aten::item", [[]]), rank.op("aten::_local_scalar_dense", [[]]):
            rank.copy("Memcpy DtoH (Device -> Pinned)", 4, 0.01)
            rank.synchronize()
        rank.collective("_allgather_base", 256, "Float", METRICS, 2)


def step(ranks, number):
    open_ranges = []
    for rank in ranks:
        ranges = [rank.annotation(f"ProfilerStep#{number}"), rank.frame("train.py(58): train_step")]
        for one in ranges:
            one.__enter__()
        open_ranges.append(ranges)
        first_half(rank, number)
    meet(ranks)
    for rank in ranks:
        second_half(rank)
    meet(ranks)
    for rank, ranges in zip(ranks, open_ranges):
        rank.spend(25 * US, 35 * US)
        for one in reversed(ranges):
            one.__exit__(None, None, None)


def names(rank):
    """Adds the metadata events, which name the processes and threads."""
    def said(what, pid, tid, **args):
        rank.add(ph="M", name=what, pid=pid, tid=tid, ts=rank.born, args=args)

    for pid, label, order in ((rank.pid, "CPU", rank.pid), (rank.rank, f"GPU {rank.rank}", 5_000_000 + rank.rank)):
        said("process_name", pid, 0, name="python3")
        said("process_labels", pid, 0, labels=label)
        said("process_sort_index", pid, 0, sort_index=order)
    for tid, name in ((rank.main, "python3"), (rank.autograd, "pt_autograd_0")):
        said("thread_name", rank.pid, tid, name=f"thread {tid} ({name})")
    for stream in rank.free_at:
        said("thread_name", rank.rank, stream, name=f"stream {stream}")


def document(rank):
    head = {
        "riffle.generated": "not recorded, but written by resources/sample/make_sample.py",
        "schemaVersion": 1,
        "deviceProperties": [{"id": number, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85_017_493_504, "computeMajor": 9,
                              "computeMinor": 0, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65_536,
                              "warpSize": 32, "sharedMemPerBlock": 49_152, "numSms": 132, "regsPerMultiprocessor": 65_536,
                              "sharedMemPerBlockOptin": 232_448, "sharedMemPerMultiprocessor": 233_472} for number in range(2)],
        "cuda_runtime_version": 12_080, "cuda_driver_version": 13_000, "record_shapes": 1, "profile_memory": 1, "with_stack": 1,
        "distributedInfo": {"backend": "nccl", "rank": rank.rank, "world_size": 2, "pg_count": 2, "nccl_version": "2.26.2",
                            "pg_config": [{"pg_name": name, "pg_desc": what, "backend_config": "cuda:nccl", "pg_size": 2, "ranks": [0, 1]}
                                          for name, what in (WORLD, METRICS)]},
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": 1_785_542_400_000_000_000,
    }
    lines = []
    for event in rank.events:
        shown = {key: value / 1000 if key in ("ts", "dur") else value for key, value in event.items()}
        lines.append("  " + json.dumps(shown, separators=(",", ":")))
    top = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    return "{\n" + ",\n".join(top) + ',\n  "traceEvents": [\n' + ",\n".join(lines) + '\n  ],\n  "traceName": "' + file_name(rank) + '"\n}\n'


def file_name(rank):
    return f"generated_rank{rank.rank}.pt.trace.json.gz"


def main():
    *flags, folder = sys.argv[1:]
    ranks = [Rank(0, 1.0, START), Rank(1, 1.14, START + 35 * US)]
    for number in range(STEPS):
        step(ranks, number)
    for rank in ranks:
        names(rank)
        path = pathlib.Path(folder) / file_name(rank)
        text = document(rank).encode()
        if flags != ["--check"]:
            path.write_bytes(gzip.compress(text, 9, mtime=0))
        elif gzip.decompress(path.read_bytes()) != text:
            sys.exit(f"{path} is not what this script writes. Run the script again, or undo the change.")


if __name__ == "__main__":
    main()
