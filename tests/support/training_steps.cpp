// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The parts of a step of the simulated job: loading, forward, backward with its collectives, optimizer.

#include "tests/support/training_run.h"

#include <array>
#include <string>

namespace riffle::test {

void TrainingRun::loadBatch()
{
    const std::size_t annotation =
        open(RecordKind::Annotation, m_catalogue.name("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"));
    const std::size_t next = openFrame(m_catalogue.name("torch/utils/data/dataloader.py(708): __next__"));
    const std::size_t data = openFrame(m_catalogue.name("torch/utils/data/dataloader.py(1448): _next_data"));
    closeFrame(openFrame(m_catalogue.name("<built-in method acquire of _thread.lock object at 0x7f3a5bf01c80>")));
    closeFrame(data);
    closeFrame(next);
    close(annotation);
    for (int i = 0; i < 2; ++i) {
        const std::size_t frame =
            openFrame(m_catalogue.name("<built-in method to of Tensor object at 0x7f3a41c2f1a0>"));
        const std::size_t op = open(RecordKind::Op, m_catalogue.op(m_catalogue.opNamed("aten::copy_")).name);
        m_records[op].arguments = m_catalogue.op(m_catalogue.opNamed("aten::copy_")).firstArguments;
        allocate(4'194'304);
        launch(kCopyKernel, m_records[op].externalId, 0, RecordKind::Copy, 4'194'304);
        close(op);
        closeFrame(frame);
    }
}

void TrainingRun::forward()
{
    const std::size_t wrapper = openModule(m_catalogue.name("nn.Module: DistributedDataParallel_0"), 0,
                                           m_catalogue.name("torch/nn/parallel/distributed.py(1637): forward"));
    const std::size_t run = openFrame(m_catalogue.name("torch/nn/parallel/distributed.py(1466): _run_ddp_forward"));
    const std::size_t model = openModule(m_catalogue.name("nn.Module: TransformerLM_0"), 0,
                                         m_catalogue.name("model/transformer.py(402): forward"));
    const std::size_t decoder =
        openModule(m_catalogue.name("nn.Module: Decoder_0"), 0, m_catalogue.name("model/transformer.py(331): forward"));
    for (int i = 0; i < m_layers; ++i)
        layer(i);
    closeModule(decoder);
    callBuiltin(m_catalogue.name("<built-in function linear>"), m_catalogue.opNamed("aten::linear"));
    closeModule(model);
    closeFrame(run);
    closeModule(wrapper);
    const std::size_t loss = openFrame(m_catalogue.name("torch/nn/functional.py(3278): cross_entropy"));
    callBuiltin(m_catalogue.name("<built-in function cross_entropy_loss>"),
                m_catalogue.opNamed("aten::cross_entropy_loss"));
    closeFrame(loss);
}

void TrainingRun::layer(int index)
{
    const auto named = [&](const char *type, int number) {
        return m_catalogue.name(std::string("nn.Module: ") + type + '_' + std::to_string(number));
    };
    const std::uint32_t linearForward = m_catalogue.name("torch/nn/modules/linear.py(124): forward");
    const std::uint32_t linear = m_catalogue.name("<built-in function linear>");
    const auto callModule = [&](const char *type, int number, std::uint32_t forwardName, std::uint32_t builtin,
                                const char *op) {
        const std::size_t module = openModule(named(type, number), number, forwardName);
        lookUpAttributes();
        callBuiltin(builtin, m_catalogue.opNamed(op));
        closeModule(module);
    };
    const auto callLinear = [&](int number) {
        callModule("Linear", index * 6 + number, linearForward, linear, "aten::linear");
    };
    const auto callNorm = [&](int number) {
        callModule("LayerNorm", index * 2 + number, m_catalogue.name("torch/nn/modules/normalization.py(217): forward"),
                   m_catalogue.name("<built-in method layer_norm of type object at 0x7f3a9e6f4d60>"),
                   "aten::layer_norm");
    };

    const std::size_t block =
        openModule(named("DecoderLayer", index), index, m_catalogue.name("model/transformer.py(268): forward"));
    const std::size_t compile = openFrame(m_catalogue.name("torch/_compile.py(51): inner"));
    const std::size_t dynamo = openFrame(m_catalogue.name("torch/_dynamo/eval_frame.py(838): _fn"));
    const std::size_t checkpoint = openFrame(m_catalogue.name("torch/utils/checkpoint.py(492): checkpoint"));
    const std::size_t apply =
        openFrame(m_catalogue.name("<built-in method apply of FunctionMeta object at 0x55d0a1b2c3d0>"));
    callNorm(0);
    const std::size_t attention =
        openModule(named("Attention", index), index, m_catalogue.name("model/attention.py(97): forward"));
    lookUpAttributes();
    for (int i = 0; i < 3; ++i)
        callLinear(i);
    callBuiltin(m_catalogue.name("<built-in method reshape of Tensor object at 0x7f3a41c2f1a0>"),
                m_catalogue.opNamed("aten::reshape"));
    callBuiltin(m_catalogue.name("<built-in function scaled_dot_product_attention>"),
                m_catalogue.opNamed("aten::scaled_dot_product_attention"));
    callLinear(3);
    closeModule(attention);
    callOp(m_catalogue.opNamed("aten::add"), true);
    callNorm(1);
    const std::size_t mlp = openModule(named("MLP", index), index, m_catalogue.name("model/mlp.py(41): forward"));
    callLinear(4);
    callModule("GELU", index, m_catalogue.name("torch/nn/modules/activation.py(734): forward"),
               m_catalogue.name("<built-in function gelu>"), "aten::gelu");
    callOp(m_catalogue.opNamed("aten::mul"), true);
    callLinear(5);
    closeModule(mlp);
    callOp(m_catalogue.opNamed("aten::add"), true);
    closeFrame(apply);
    closeFrame(checkpoint);
    closeFrame(dynamo);
    closeFrame(compile);
    closeModule(block);
}

void TrainingRun::backward()
{
    const std::size_t outer = openFrame(m_catalogue.name("torch/_tensor.py(592): backward"));
    const std::size_t package = openFrame(m_catalogue.name("torch/autograd/__init__.py(256): backward"));
    const std::size_t graph = openFrame(m_catalogue.name("torch/autograd/graph.py(823): _engine_run_backward"));
    const std::size_t run =
        openFrame(m_catalogue.name("<built-in method run_backward of torch._C._EngineBase object at 0x7f3a9c4b2f30>"));
    m_onAutogradThread = true;
    const int accumulate = m_catalogue.opNamed("torch::autograd::AccumulateGrad");
    for (std::size_t sinceBucket = 1; !m_tape.empty(); ++sinceBucket) {
        const TapeEntry entry = m_tape.back();
        m_tape.pop_back();
        const OpSpec &spec = m_catalogue.op(entry.op);
        std::array<std::size_t, 2> nested{};
        for (std::size_t i = 0; i < nested.size(); ++i) {
            nested[i] = open(RecordKind::Op, i == 0 ? spec.backwardTask : spec.backwardNode);
            Record &record = m_records[nested[i]];
            record.first = entry.sequence;
            record.second = 1;
            record.third = i == 0 ? 0 : -entry.flow;
            record.arguments = spec.firstArguments + random(OpCatalogue::kVariants);
        }
        for (const int op : spec.backwardOps)
            callOp(op, false);
        close(nested[1]);
        release();
        close(nested[0]);
        if (spec.backwardOps.size() > 2)
            callOp(accumulate, false);
        if (m_options.withNccl && (sinceBucket % 24 == 0 || m_tape.empty()))
            reduceGradients();
    }
    m_onAutogradThread = false;
    closeFrame(run);
    closeFrame(graph);
    closeFrame(package);
    closeFrame(outer);
}

void TrainingRun::reduceGradients()
{
    const std::int64_t elements = 2'873'320 + std::int64_t(random(8)) * 1'048'576;
    const std::size_t annotation = open(RecordKind::Annotation, m_catalogue.name("nccl:all_reduce"));
    const OpSpec &reduce = m_catalogue.op(m_catalogue.opNamed("c10d::allreduce_"));
    const std::size_t op = open(RecordKind::Op, reduce.name);
    m_records[op].arguments = reduce.firstArguments;
    const OpSpec &comms = m_catalogue.op(m_catalogue.opNamed("record_param_comms"));
    const std::size_t collective = open(RecordKind::Collective, comms.name);
    m_records[collective].arguments = comms.firstArguments + random(OpCatalogue::kVariants);
    m_records[collective].first = elements;
    launch(kNcclKernel, m_records[collective].externalId, 1, RecordKind::NcclKernel, elements);
    close(collective);
    close(op);
    close(annotation);
}

void TrainingRun::optimize()
{
    const std::size_t wrapper = openFrame(m_catalogue.name("torch/optim/optimizer.py(485): wrapper"));
    const std::size_t annotation = open(RecordKind::Annotation, m_catalogue.name("Optimizer.step#AdamW.step"));
    const std::size_t step = openFrame(m_catalogue.name("torch/optim/adamw.py(220): step"));
    const std::size_t fused = openFrame(m_catalogue.name("torch/optim/adam.py(813): _fused_adam"));
    for (int i = 0; i < 1 + m_layers / 4; ++i) {
        callOp(m_catalogue.opNamed("aten::_foreach_mul_"), false);
        callOp(m_catalogue.opNamed("aten::_fused_adamw_"), false);
    }
    closeFrame(fused);
    closeFrame(step);
    close(annotation);
    closeFrame(wrapper);
}

} // namespace riffle::test
