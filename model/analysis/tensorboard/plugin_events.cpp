// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/tensorboard/plugin_events.h"

#include "model/base/ascii.h"

#include <algorithm>
#include <string>

namespace riffle::tensorboard {

namespace {

EventType typeOf(std::string_view category)
{
    const std::string lower = asciiLower(category);
    struct Word {
        std::string_view text;
        EventType type;
    };
    static constexpr Word kWords[]{
        {"cpu_op", EventType::Operator},
        {"operator", EventType::Operator},
        {"python", EventType::Python},
        {"python_function", EventType::Module},
        {"user_annotation", EventType::Annotation},
        {"gpu_user_annotation", EventType::Annotation},
        {"runtime", EventType::Runtime},
        {"cuda_runtime", EventType::Runtime},
        {"mtia_runtime", EventType::Runtime},
        {"glow_runtime", EventType::Runtime},
        {"xpu_runtime", EventType::Runtime},
        {"privateuse1_runtime", EventType::Runtime},
        {"kernel", EventType::Kernel},
        {"memcpy", EventType::Memcpy},
        {"gpu_memcpy", EventType::Memcpy},
        {"memset", EventType::Memset},
        {"gpu_memset", EventType::Memset},
    };
    for (const Word &word : kWords)
        if (lower == word.text)
            return word.type;
    return EventType::None;
}

} // namespace

bool isDataLoader(std::string_view name)
{
    return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
           name.starts_with("enumerate(DataPipe)#");
}

bool isOptimizer(std::string_view name) { return name.starts_with("Optimizer.step"); }

bool isCollective(std::string_view name)
{
    if (!name.starts_with("nccl:") && !name.starts_with("gloo:"))
        return false;
    static constexpr std::string_view kNames[]{"broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter"};
    return std::find(std::begin(kNames), std::end(kNames), name.substr(5)) != std::end(kNames);
}

bool usesTensorCores(std::string_view kernel)
{
    static constexpr std::string_view kWords[]{"h884",
                                               "s884",
                                               "h1688",
                                               "s1688",
                                               "hmma",
                                               "i8816",
                                               "16816",
                                               "dgrad_1x1_stride_2x2",
                                               "first_layer_wgrad_kernel",
                                               "conv1x1",
                                               "conv2d_c1_k1",
                                               "direct_group",
                                               "xmma_implicit_gemm",
                                               "xmma_sparse_conv",
                                               "xmma_warp_specialized_implicit_gemm",
                                               "xmma_gemm",
                                               "xmma_sparse_gemm",
                                               "c1688"};
    return std::any_of(std::begin(kWords), std::end(kWords),
                       [&](std::string_view word) { return kernel.find(word) != kernel.npos; });
}

bool couldUseTensorCores(std::string_view operatorName)
{
    static constexpr std::string_view kAten[]{"_convolution",
                                              "conv1d",
                                              "conv2d",
                                              "conv3d",
                                              "conv_tbc",
                                              "conv_transpose1d",
                                              "conv_transpose2d",
                                              "conv_transpose3d",
                                              "convolution",
                                              "cudnn_convolution",
                                              "cudnn_convolution_transpose",
                                              "prelu",
                                              "addmm",
                                              "addmv",
                                              "addr",
                                              "matmul",
                                              "mm",
                                              "mv",
                                              "linear",
                                              "addbmm",
                                              "baddbmm",
                                              "bmm",
                                              "chain_matmul",
                                              "linalg_multi_dot",
                                              "_thnn_fused_lstm_cell",
                                              "_thnn_fused_gru_cell",
                                              "lstm_cell",
                                              "gru_cell",
                                              "rnn_tanh_cell",
                                              "rnn_relu_cell",
                                              "addmm_",
                                              "cudnn_convolution_backward",
                                              "cudnn_convolution_backward_weight",
                                              "cudnn_convolution_backward_input",
                                              "cudnn_convolution_transpose_backward",
                                              "cudnn_convolution_transpose_backward_weight",
                                              "cudnn_convolution_transpose_backward_input"};
    static constexpr std::string_view kBackward[]{"CudnnConvolutionBackward",
                                                  "CudnnConvolutionTransposeBackward",
                                                  "BmmBackward0",
                                                  "MmBackward",
                                                  "AddmmBackward",
                                                  "AddmvBackward",
                                                  "AddbmmBackward",
                                                  "MvBackward"};
    if (operatorName.starts_with("aten::"))
        return std::find(std::begin(kAten), std::end(kAten), operatorName.substr(6)) != std::end(kAten);
    return std::find(std::begin(kBackward), std::end(kBackward), operatorName) != std::end(kBackward);
}

BigVector<PluginEvent> pluginEvents(const Trace &trace)
{
    std::vector<int8_t> types(trace.strings.count(), -1); // EventType by StringId of the category
    BigVector<PluginEvent> events;
    for (const auto &segment : trace.segments) {
        const SliceTable &slices = segment->slices;
        const int64_t thread = trace.lanes[segment->lane.value].tid.bits;
        for (uint32_t at = 0; at < segment->size(); ++at) {
            if (slices.category[at] >= types.size())
                continue;
            int8_t &known = types[slices.category[at]];
            if (known < 0)
                known = static_cast<int8_t>(typeOf(trace.string(slices.category[at])));
            auto type = static_cast<EventType>(known);
            if (type == EventType::None)
                continue;
            if ((type == EventType::Operator || type == EventType::Annotation) &&
                trace.string(slices.name[at]).starts_with("ProfilerStep#"))
                type = EventType::Step;
            if (type == EventType::Module) {
                const auto detail = segment->detailOf(&Segment::python, segment->idAt(at));
                if (!detail || detail[&PythonTable::moduleId] == kNoInt)
                    continue; // none of the plugin's figures include frames that are not modules
            }
            events.push_back({slices.start[at], segment->end(at), slices.externalId[at], thread,
                              segment->idAt(at).value, slices.name[at], type});
        }
    }
    const auto place = [&](const PluginEvent &event) {
        const Segment *segment = trace.segmentOf(SliceId(event.slice));
        return segment->slices.sourceOffset[segment->indexOf(SliceId(event.slice))];
    };
    std::stable_sort(events.begin(), events.end(), [&](const PluginEvent &a, const PluginEvent &b) {
        return a.start != b.start ? a.start < b.start : place(a) < place(b);
    });
    return events;
}

} // namespace riffle::tensorboard
