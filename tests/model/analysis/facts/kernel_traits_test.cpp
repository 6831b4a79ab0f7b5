// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/kernel_traits.h"

#include <gtest/gtest.h>

#include <string>

namespace riffle {
namespace {

TEST(TensorCores, YesByName)
{
    for (
        const char *name : {
            // NVIDIA, Volta to Ampere
            "volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn",
            "turing_h1688gemm_128x64_ldg8_nn",
            "ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_nn",
            "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn",
            "ampere_int32_i16832gemm_int8_128x128_ldg16_stages_64x3_tn",
            "cutlass_80_tensorop_d884gemm_128x64_16x3_nn_align1",
            "void "
            "cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_32x6_nt_align1>(cutlass_80_tensorop_s1688gemm_128x64_"
            "32x6_nt_align1::Params)",
            "void "
            "cutlass::Kernel<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_64x1_nn_align8>(cutlass_80::Params)",
            "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_"
            "warpsize2x2x1_g1_"
            "tensor16x8x8_alignc4_execute_kernel__5x_cudnn",
            "turing_fp16_dgrad_1x1_stride_2x2",
            "cudnn_generic_half_tensor_core_fprop",
            "fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float, "
            "cutlass::arch::Sm80, true>)",
            "fmha_cutlassF_f16_aligned_64x64_rf_sm75(PyTorchMemEffAttention::AttentionKernel<cutlass::half_t>)",
            "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, "
            "false, "
            "cutlass::bfloat16_t> >(pytorch_flash::Flash_fwd_params)",
            "void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, 128> "
            ">(Flash_bwd_params)",
            // Hopper and Blackwell
            "nvjet_tst_192x8_64x8_4x1_v_bz_TNT",
            "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_"
            "kernel__5x_cublas",
            "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int>, "
            "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<7> > > "
            ">(Params)",
            "void cutlass::device_kernel<dpsk::grouped_gemm::cuda::fp8_ptp128c::GemmKernel>(dpsk::GemmKernel::Params)",
            "void cutlass::device_kernel<flash::FlashAttnBwd<flash::CollectiveMainloopBwd<2, cutlass::arch::Sm90> > "
            ">(Params)",
            "void deep_gemm::fp8_gemm_kernel<4096u, 7168u>(float*)",
            "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
            "bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_rM_TN_transOut_sm100f",
            "void marlin::Marlin<__nv_bfloat16, 256, 1>(int4 const*)",
            "some_tcgen05_kernel",
            // mangled
            "_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS_4warp11MmaTensorOpINS7_"
            "ILi64EEEEEEEvv",
            // AMD
            "Cijk_Ailk_Bljk_BBS_BH_MT128x64x64_MI32x32x8x1_SN_1LDSB0_APM1_AF0EM1",
            "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2_ta1x8x2x1_1x4x1x64_tb1x8x2x1_"
            "1x4x1x64_gkgs",
            "void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, (vllm::Fp8KVCacheDataType)0, 1, 128>(int)",
            "_ZN2ck16tensor_operation6device37kernel_batched_gemm_xdlops_bwd_weightINS_47GridwiseGemmEEEvv",
        })
        EXPECT_EQ(tensorCoresOf(name), TensorCores::Yes) << name;
}

TEST(TensorCores, NoByName)
{
    for (const char *name : {
             "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int, float)",
             "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float> > >(int)",
             "void at::native::(anonymous namespace)::CatArrayBatchedCopy_aligned16_contig<float, unsigned int, "
             "2>(float*)",
             "void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, unsigned int, 2, 2, -2, "
             "true>(int)",
             "void at::native::radixSortKVInPlace<-2, -1, 64, 32, float, long, unsigned int>(int)",
             "void (anonymous namespace)::softmax_warp_forward<float, float, float, 9, false, false>(float*)",
             "void layer_norm::ln_fwd_kernel<layer_norm::Kernel_traits<__nv_bfloat16, 1536u> >(layer_norm::FwdParams)",
             "void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>(cudnnTensorStruct)",
             "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>(int)",
             "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
             "void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long>::Policy900>(int)",
             "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16EEEvv",
             "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char, "
             "(vllm::Fp8KVCacheDataType)1>(int)",
             "void fbgemm_gpu::permute_2D_data_kernel<false, int, long, decltype(nullptr)>(int)",
             // matrix products on ordinary cores
             "void "
             "cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm_128x32_8x5_nn_align1::"
             "Params)",
             "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_"
             "execute_kernel__5x_"
             "cublas",
             "ampere_sgemm_128x64_nn",
             "ampere_fp16_sgemm_fp16_128x64_tn",
             "volta_scudnn_128x64_relu_interior_nn_v1",
             "volta_hgemm_128x128_nn",
             "ampere_gcgemm_64x64_nt",
             "void magma_sgemmEx_kernel<float, float, float, true>(int)",
             "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, "
             "float>(cublasGemvParams<float>)",
             "fmha_cutlassF_f32_aligned_64x64_rf_sm75(Params)",
             "fmha_cutlassF_f16_aligned_64x64_rf_sm50(Params)",
             // work beside a product or an attention
             "void "
             "cutlass_cudnn_train::Kernel<cutlass_cudnn_train::reduction::kernel::ReduceSplitK<cutlass_cudnn_train::"
             "MatrixShape<4, 128> > >(Params)",
             "void splitKreduce_kernel<32, 16, int, __half, __half, float, __half, true, true, "
             "false>(cublasSplitKParams<float>)",
             "void flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128, 64, 128>, 4, 1, "
             "true>(Flash_fwd_params)",
             "void cutlass::device_kernel<flash::FlashAttnBwdPreprocess<cutlass::bfloat16_t, float, "
             "cutlass::arch::Sm90> >(Params)",
             "void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16, 128>(int)",
             "void dpsk::grouped_gemm::cuda::utils::transpose<512, 128, 4, 4>(unsigned char const*)",
             "SubTensorOpWithScalar1d",
             "Cijk_Ailk_Bljk_SB_MT64x64x16_SE_K1",
             // TorchInductor says what a kernel does
             "triton_poi_fused_addmm_gelu_view_24",
             "triton_red_fused_native_layer_norm_9",
         })
        EXPECT_EQ(tensorCoresOf(name), TensorCores::No) << name;
}

TEST(TensorCores, ElseUnknown)
{
    for (const char *name :
         {"", "attn_fwd", "_fwd_kernel", "triton_tem_fused_mm_3", "triton_red_fused_add_addmm_mul_view_5",
          "matmul_kernel", "void my_kernel<float>(float*)", "miopenGcnAsmConv1x1U", "dimMapping",
          "void flashinfer::BatchPrefillWithPagedKVCacheKernel<128>(Params)", "_chunk_scan_fwd_kernel",
          "fused_quant_matmul", "void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*, int*)", "核函数"})
        EXPECT_EQ(tensorCoresOf(name), TensorCores::Unknown) << name;
}

TEST(TensorCores, EveryWordOfTheListsCounts)
{
    for (const char *word : {"h884",
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
                             "c1688",
                             "wgmma",
                             "gmma",
                             "nvjet",
                             "tensorop",
                             "sm80_xmma",
                             "sm90_xmma",
                             "sm100_xmma",
                             "sm90_cutlass",
                             "s16816",
                             "imma",
                             "tcgen05",
                             "flash_fwd",
                             "flash_bwd",
                             "fmha",
                             "cudnn_x_tensor_core"})
        EXPECT_EQ(tensorCoresOf(std::string("x_") + word + "_kernel"), TensorCores::Yes) << word;
}

TEST(Communication, KernelsByTheLibrariesName)
{
    for (const char *name :
         {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "ncclKernel_AllReduce_RING_LL_Sum_float(x)",
          "void NCCL_thing()", "rcclGenericKernel", "hcclAllReduce", "oneccl_allreduce", "mcclKernel", "my_NcClx"})
        EXPECT_TRUE(isCommunicationKernel(name)) << name;
    for (const char *name : {"volta_sgemm_32x128_nn", "ccl", "", "all_reduce"})
        EXPECT_FALSE(isCommunicationKernel(name)) << name;
}

TEST(Communication, KernelsThatNeedNoLibrary)
{
    for (const char *name :
         {"void dpsk::ep::internode::dispatch<false, 8>(int)",
          "void dpsk::ep::internode::combine<false, 8, __nv_bfloat16, 8>(int4*, dpsk::ep::internode::SourceMeta*)",
          "void deep_ep::intranode::notify_dispatch<8>(int const*, int*)",
          "deep_ep::internode_ll::dispatch<true>(void*)", "_ZN7deep_ep9intranode8dispatchILi8ELi768EEEvPv",
          "primus_turbo::deep_ep::intranode::cached_notify_combine<8>",
          "void vllm::cross_device_reduce_1stage<c10::BFloat16, 8>(vllm::RankData*)",
          "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
          "nvshmemi_proxy_progress"}) {
        EXPECT_TRUE(isCommunicationKernel(name)) << name;
        EXPECT_EQ(tensorCoresOf(name), TensorCores::No) << name;
        EXPECT_FALSE(namesCollectiveLibrary(name)) << name;
    }
    for (const char *name :
         {"void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*, int*)",
          "void deep_ep::internode::get_dispatch_layout<256>(long const*)", "void tree::node::combine<8>(int*)",
          "void permute<dpsk::ep::internode::SourceMeta>(dpsk::ep::internode::SourceMeta*)", "dispatch", "combine"})
        EXPECT_FALSE(isCommunicationKernel(name)) << name;
}

TEST(Communication, OperatorsByTheirNamespace)
{
    for (const char *name :
         {"c10d::allreduce_", "c10d_functional::all_to_all_single", "_c10d_functional::wait_tensor", "nccl:all_reduce",
          "gloo:broadcast", "record_param_comms", "nccl:_all_gather_base", "symm_mem::multimem_all_reduce_"})
        EXPECT_TRUE(isCommunicationOperator(name)) << name;
    for (const char *name : {"aten::add", "", "my::c10d::x", "symm_mem::fused_all_gather_matmul", "Nearby",
                             "DistributedDataParallel.forward"})
        EXPECT_FALSE(isCommunicationOperator(name)) << name;
}

TEST(TensorCoreEligible, TheFrozenListAndWhatCameAfter)
{
    for (const char *name : {"aten::mm",
                             "aten::addmm",
                             "aten::addmm_",
                             "aten::conv2d",
                             "aten::_convolution",
                             "aten::linear",
                             "aten::prelu",
                             "aten::cudnn_convolution_transpose_backward_input",
                             "BmmBackward0",
                             "MmBackward",
                             "AddmmBackward0",
                             "CudnnConvolutionBackward",
                             "aten::scaled_dot_product_attention",
                             "aten::_scaled_dot_product_flash_attention_backward",
                             "aten::_flash_attention_forward",
                             "aten::_efficient_attention_backward",
                             "aten::_scaled_mm",
                             "flash_attn::_flash_attn_forward",
                             "aten::_grouped_mm",
                             "aten::convolution_backward",
                             "ConvolutionBackward0"})
        EXPECT_TRUE(isTensorCoreEligible(name)) << name;
    for (const char *name :
         {"mm", "aten::add", "aten::mmm", "aten::relu", "", "0", "aten::", "AddBackward0", "torch::mm"})
        EXPECT_FALSE(isTensorCoreEligible(name)) << name;
}

TEST(ComputeTypes, WhereTheNameSaysIt)
{
    const std::pair<const char *, const char *> cases[]{
        {"ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_nn", "fp16"},
        {"ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn", "bf16"},
        {"ampere_fp16_s1688gemm_fp16_128x128_ldg8_f2f_stages_32x1_tn", "fp16"},
        {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4>(x)", "tf32"},
        {"void cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688dgrad_optimized_tf32_64x128_32x3_nhwc_align4>(x)",
         "tf32"},
        {"sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc", "tf32"},
        {"sm90_xmma_gemm_bf16f32_bf16f32_f32_tn_n_tilesize128x128x64", "bf16"},
        {"nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", "bf16"},
        {"nvjet_hsh_64x64_64x16_2x1_2cta_v_bz_bias_TNT", "fp16"},
        {"nvjet_qqtst_128x256_128x6_2x1_v_bz_TNT", "fp8"},
        {"nvjet_sss_128x256", ""},
        {"void cutlass::device_kernel<dpsk::grouped_gemm::cuda::fp8_ptp128c::GemmKernel>(x)", "fp8"},
        {"bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_sm100f", "fp8"},
        {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext", "fp8"},
        {"ampere_int32_i16832gemm_int8_128x128_ldg16_stages_64x3_tn", "int8"},
        {"void cutlass::Kernel<cutlass_80_tensorop_d884gemm_128x64_16x3_nn_align1>(x)", "fp64"},
        {"volta_sgemm_128x64_nn", "fp32"},
        {"ampere_fp16_sgemm_fp16_128x64_tn", "fp32"},
        {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(x)", "fp32"},
        {"volta_scudnn_128x64_relu_interior_nn_v1", "fp32"},
        {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, cutlass::bfloat16_t> >(x)",
         "bf16"},
        {"void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, (vllm::Fp8KVCacheDataType)0>(x)", "bf16"},
        {"fmha_cutlassF_f32_aligned_64x64_rf_sm80(x)", ""}, // one product is computed as three in TF32
        {"Cijk_Ailk_Bljk_BBS_BH_MT128x64x64_MI32x32x8x1", "bf16"},
        {"Cijk_Alik_Bljk_HHS_BH_MT128x64x64_MI32x32x8x1", "fp16"},
        {"Cijk_Ailk_Bljk_S_B_Bias_HA_S_SAV_UserArgs_MT16x16x128_MI16x16x1", "fp32"},
        {"Cijk_Alik_Bljk_F8BS_BH_MT128x64x64_MI32x32x8x1", "fp8"},
        {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32", "bf16"},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half> >(x)", ""},
        {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", ""},
        {"void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>(x)", ""},
        {"", ""}};
    for (const auto &[kernel, type] : cases)
        EXPECT_STREQ(computeTypeName(computeTypeOf(kernel)), type) << kernel;
}

} // namespace
} // namespace riffle
