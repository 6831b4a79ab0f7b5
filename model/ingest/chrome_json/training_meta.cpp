// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/training_meta.h"

#include "model/base/ascii.h"

#include <algorithm>
#include <string>

namespace riffle {

CategoryTraits traitsOf(std::string_view category)
{
    static constexpr std::string_view kDevice[] = {
        "kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync", "cuda_event",
        "memcpy", "memset",     "hpu_op",     "mtia_ccp_events",     "xpu_sync",
    };
    static constexpr std::string_view kPaddle[] = {
        "ProfileStep",
        "Dataloader",
        "Forward",
        "Backward",
        "Optimization",
        "PythonOp",
        "Operator",
        "UserDefined",
        "Kernel",
        "PythonUserDefined",
        "OperatorInner",
        "Communication",
        "Memcpy",
        "Memset",
        "CudaRuntime",
        "DygraphKernelLaunch",
        "StaticKernelLaunch",
        "MluRuntime",
    };
    const std::string lower = asciiLower(category);
    CategoryTraits traits;
    traits.device = std::find(std::begin(kDevice), std::end(kDevice), lower) != std::end(kDevice);
    traits.paddle = std::find(std::begin(kPaddle), std::end(kPaddle), category) != std::end(kPaddle);
    traits.annotation = lower == "user_annotation" || lower == "gpu_user_annotation";
    traits.frame = lower == "python_function";
    return traits;
}

} // namespace riffle
