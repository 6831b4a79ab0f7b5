// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/hashed_names.h"

#include "model/analysis/facts/collective_kind.h"
#include "model/analysis/facts/kernel_class.h"

#include <gmock/gmock.h>

using namespace riffle;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST(HashedNames, HidesWordsAndKeepsTheSyntax)
{
    EXPECT_THAT(hashedName("/home/me/secret_net.py(20): train_one"),
                MatchesRegex("/x[0-9a-f]{10}/x[0-9a-f]{10}/x[0-9a-f]{10}_x\\.py\\(20\\): x[0-9a-f]{10}_one"));
    EXPECT_THAT(hashedName("nn.Module: SecretBlock_3"), MatchesRegex("nn\\.Module: x[0-9a-f]{10}x_3"));
    EXPECT_THAT(hashedName("秘密"), MatchesRegex("x[0-9a-f]{10}"));
    EXPECT_EQ(hashedName(""), "");
}

TEST(HashedNames, IsTheSameForTheSameIdentifier)
{
    const std::string alone = hashedName("SecretBackward");
    EXPECT_EQ(hashedName("autograd::engine::evaluate_function: SecretBackward"),
              "autograd::engine::evaluate_function: " + alone);
    EXPECT_NE(hashedName("SecretForward"), hashedName("HiddenForward"));
}

TEST(HashedNames, KeepsWhatAnalysesRecognise)
{
    for (const char *name :
         {"aten::mm", "aten::addmm", "ProfilerStep#12", "nccl:all_reduce", "Memcpy HtoD (Pageable -> Device)",
          "autograd::engine::evaluate_function: AddmmBackward0", "stream 7", "(1, 2, 3)", "1e-05"})
        EXPECT_EQ(hashedName(name), name);
    for (const char *kernel :
         {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ampere_sgemm_128x64_tn",
          "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>>(Flash_fwd_params)", "triton_poi_fused_add_0",
          "void secret::my_kernel<float>(int)", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n"})
        EXPECT_EQ(kernelClass(hashedName(kernel)), kernelClass(kernel)) << hashedName(kernel);
    for (const char *collective : {"nccl:all_reduce", "ncclDevKernel_ReduceScatter_Sum_f32", "gloo:broadcast"})
        EXPECT_EQ(collectiveKind(hashedName(collective)), collectiveKind(collective));
}

TEST(HashedNames, ReplacesTextsOfAnEventAndNothingElse)
{
    std::string event = R"({"ph": "X", "cat": "cpu_op", "name": "secret::op", "pid": 1, "tid": 2, "ts": 1.250, )"
                        R"("dur": 3, "args": {"Hidden key": "hidden \"value\" \u00e9", "Input Dims": [[32, 64]], )"
                        R"("Input type": ["float", "Secret"], "n": -1.5e3}})";
    hashNames(event);
    EXPECT_THAT(event, HasSubstr(R"({"ph": "X", "cat": "cpu_op", "name": "x)"));
    EXPECT_THAT(event, HasSubstr(R"("ts": 1.250, "dur": 3, "args": {"Hidden key": "x)"));
    EXPECT_THAT(event, HasSubstr(R"("Input Dims": [[32, 64]], "Input type": ["float", "x)"));
    EXPECT_THAT(event, HasSubstr(R"(\" x)"));
    for (const char *secret : {"secret", "Secret", "hidden", "value"})
        EXPECT_THAT(event, Not(HasSubstr(secret)));
}

TEST(HashedNames, LeavesCallsOfCudaAndPropertiesOfDevices)
{
    for (const char *text : {R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaMallocAsync", "ts": 1})",
                             R"({"ph": "M", "name": "process_labels", "pid": 0, "args": {"labels": "GPU 0"}})",
                             R"({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 PCIe", "numSms": 114}]})"}) {
        std::string json = text;
        hashNames(json);
        EXPECT_EQ(json, text);
    }
    std::string name = R"({"traceName": "/srv/secret/trace.json"})";
    hashNames(name);
    EXPECT_THAT(name, Not(HasSubstr("secret")));
}
