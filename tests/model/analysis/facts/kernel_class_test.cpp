// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/kernel_class.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(KernelClass, RealNamesHaveTheirClass)
{
    using enum WorkClass;
    struct Case {
        const char *name;
        WorkClass kind;
    };
    for (const Case &one : {
             Case{"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", Communication},
             Case{"void dpsk::ep::internode::combine<false, 8, __nv_bfloat16, 8>(int4*, float*)", Communication},
             Case{"void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*, int*)", OtherCompute},
             Case{"Memcpy HtoD (Pageable -> Device)", Copies},
             Case{"Memset (Device)", Copies},
             Case{"__amd_rocclr_fillBufferAligned", Copies},
             Case{"triton_poi_fused_addmm_silu_2", Compiled},
             Case{"triton_tem_fused_mm_3", Compiled},
             Case{"create_flashinfer_kv_indices_triton", Compiled},
             Case{"_layer_norm_fwd_fused", Compiled},
             Case{"_copy_page_indices_kernel", Compiled},
             Case{"attn_fwd", Attention},
             Case{"sage_fwd", Attention},
             Case{"fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float>::Params)",
                  Attention},
             Case{"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext", Attention},
             Case{"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128>>(int)",
                  Attention},
             Case{"void cutlass::device_kernel<flash::FlashAttnBwd<flash::CollectiveMainloopBwd<2>>>(int)", Attention},
             Case{"void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16>(int)", Attention},
             Case{"void flashinfer::BatchPrefillWithPagedKVCacheKernel<128>(int)", Attention},
             Case{"void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char>(__nv_bfloat16*)",
                  OtherCompute},
             Case{"ampere_sgemm_128x64_tn", MatrixProducts},
             Case{"ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_nn", MatrixProducts},
             Case{"nvjet_tst_144x128_64x6_2x1_v_bz_bias_TNN", MatrixProducts},
             Case{"Cijk_Ailk_Bljk_BBS_BH_MT128x128x64_MI16x16x16x1_SN_1LDSB0", MatrixProducts},
             Case{"sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16",
                  MatrixProducts},
             Case{"volta_scudnn_128x64_relu_interior_nn_v1", MatrixProducts},
             Case{"_5x_cudnn_ampere_fp16_scudnn_fp16_128x32_relu_small_nn_v1", MatrixProducts},
             Case{"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8", MatrixProducts},
             Case{"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_nn_align1>(int)", MatrixProducts},
             Case{"void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 2, 2>(int)", MatrixProducts},
             Case{"void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5>(int)", MatrixProducts},
             Case{"void wgrad_alg0_engine<float, 128, 5, 5, 3, 3, 3, false, 512>(int, int, int)", MatrixProducts},
             Case{"void splitKreduce_kernel<32, 16, int, float, float>(cublasSplitKParams<float>)", MatrixProducts},
             Case{"bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3", MatrixProducts},
             Case{"void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(int)", OtherCompute},
             Case{"void cudnn::ops::convertTensor_kernel<float, float, float>(float)", OtherCompute},
             Case{"cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)", OtherCompute},
             Case{"void cudnn::cnn::im2col4d_kernel<float, long>(int)", OtherCompute},
             Case{"void fbgemm_gpu::permute_2D_lengths_kernel<int>(int, int, int const*)", OtherCompute},
             Case{"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
                  OtherCompute},
             Case{"void moe::dev::finalize::finalizeKernelVecLoad<cutlass::bfloat16_t>(int)", OtherCompute},
         })
        EXPECT_EQ(workClassTitle(kernelClass(one.name)), std::string_view(workClassTitle(one.kind))) << one.name;
}

} // namespace
} // namespace riffle
