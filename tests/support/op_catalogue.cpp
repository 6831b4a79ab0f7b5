// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/op_catalogue.h"

#include <array>
#include <cassert>

namespace riffle::test {

namespace {

constexpr std::array<const char *, 5> kDtypes = {"c10::BFloat16", "float", "c10::Half", "long int", "bool"};
constexpr std::array<std::uint32_t, 10> kDims = {1, 4, 16, 64, 128, 512, 1024, 4096, 11008, 128256};

struct KernelRecipe {
    const char *name;
    std::int64_t nanoseconds;
    int registers;
    int sharedMemory;
    std::uint32_t blocks;
    std::uint32_t threads;
    int occupancy;
};

const std::array<KernelRecipe, 10> kKernels = {{
    {"sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16_execute_"
     "kernel__"
     "5x_cublas",
     95'000, 234, 98304, 1024, 128, 25},
    {"ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_nt", 140'000, 255, 147456, 512, 256, 13},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
     9'000, 32, 0, 4096, 128, 100},
    {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
     "BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> > "
     ">(at::TensorIteratorBase&, "
     "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> > "
     "const&)::"
     "{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, "
     "float, "
     "at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, "
     "at::native::BinaryFunctor<float, "
     "float, float, at::native::binary_internal::MulFunctor<float> > const&)::{lambda(int)#1})",
     14'000, 26, 0, 8192, 128, 100},
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>(int, "
     "float, "
     "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
     12'500, 40, 24, 4096, 128, 75},
    {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 64, 64, 4, false, "
     "false, "
     "cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<128, 64, 64, 4, cutlass::bfloat16_t> >, false, "
     "true, "
     "false, false, true, true, false>(pytorch_flash::Flash_fwd_params)",
     88'000, 255, 65536, 2048, 128, 19},
    {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>(float*, float "
     "const*, "
     "int, int, int, bool const*, int, bool)",
     18'000, 38, 0, 2048, 128, 67},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, "
     "float, "
     "float>, unsigned int, float, 4, 4> >(at::native::ReduceOp<float, at::native::MeanOps<float, float, "
     "float, "
     "float>, unsigned int, float, 4, 4>)",
     7'500, 32, 16, 216, 512, 98},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::"
     "FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, "
     "(at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, "
     "float*>"
     "(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
     "namespace)::"
     "FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, "
     "double, "
     "double, bool, float*, float*)",
     62'000, 64, 0, 320, 512, 50},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 410'000, 96, 82240, 24, 544, 0},
}};

std::string fraction(double value)
{
    std::string text = std::to_string(value); // six decimals, as printed
    if (text.ends_with(".000000"))
        text.resize(text.size() - 7);
    return text;
}

} // namespace

/// Arguments: T tensor, L list of tensors, S scalar, V list of scalars, N none.
struct OpCatalogue::Recipe {
    std::string_view name;
    std::string_view arguments;
    int kernel = -1;
    bool allocates = false;
    std::vector<std::string_view> children;
    std::string_view backwardNode;
    std::vector<std::string_view> backwardOps;
};

OpCatalogue::OpCatalogue(const TraceOptions &options)
    : m_long(options.profile == TraceProfile::Shapes)
    , m_random(options.seed * 0x9E3779B97F4A7C15ull + 1)
{
    name("");
    addKernels();
    addOps();
}

std::uint32_t OpCatalogue::random(std::uint32_t below)
{
    m_random = m_random * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(m_random >> 33) % below;
}

std::uint32_t OpCatalogue::name(std::string_view text)
{
    const auto [found, isNew] = m_nameIndex.try_emplace(std::string(text), static_cast<std::uint32_t>(m_names.size()));
    if (isNew)
        m_names.emplace_back(text);
    return found->second;
}

int OpCatalogue::opNamed(std::string_view text) const
{
    const auto found = m_opIndex.find(std::string(text));
    assert(found != m_opIndex.end());
    return found->second;
}

void OpCatalogue::addKernels()
{
    for (const KernelRecipe &recipe : kKernels) {
        const double blocks = recipe.blocks / 132.0;
        m_kernels.push_back(
            {name(recipe.name),
             "\"registers per thread\": " + std::to_string(recipe.registers) + ",      \"shared memory\": " +
                 std::to_string(recipe.sharedMemory) + ",      \"blocks per SM\": " + fraction(blocks) +
                 ",      \"warps per SM\": " + fraction(blocks * recipe.threads / 32) + ",      \"grid\": [" +
                 std::to_string(recipe.blocks) + ", 1, 1],      \"block\": [" + std::to_string(recipe.threads) +
                 ", 1, 1],      \"est. achieved occupancy %\": " + std::to_string(recipe.occupancy),
             recipe.nanoseconds});
    }
}

std::string OpCatalogue::argumentList(std::string_view pattern)
{
    std::string concrete, types, strides, dims;
    const auto tensor = [&](std::string &dimText, std::string &strideText) {
        const std::uint32_t rank = m_long ? 4 + random(3) : 1 + random(4);
        std::uint64_t stride = 1;
        std::string strideList, dimList;
        for (std::uint32_t i = 0; i < rank; ++i) {
            const std::uint32_t dim = kDims[random(i < 2 ? 9 : 5)];
            dimList = std::to_string(dim) + (i ? ", " : "") + dimList;
            strideList = std::to_string(stride) + (i ? ", " : "") + strideList;
            stride *= dim;
        }
        dimText += "[" + dimList + "]";
        strideText += "[" + strideList + "]";
    };
    bool isFirst = true;
    for (const char argument : pattern) {
        if (!isFirst)
            for (std::string *list : {&concrete, &types, &strides, &dims})
                *list += ", ";
        isFirst = false;
        if (argument == 'T') {
            concrete += "\"\"";
            types += '"' + std::string(kDtypes[random(random(4) ? 2 : 5)]) + '"';
            tensor(dims, strides);
        } else if (argument == 'L') {
            concrete += "\"\"";
            types += "\"TensorList\"";
            const std::uint32_t count = m_long ? 16 + random(32) : 4 + random(8);
            for (std::uint32_t i = 0; i < count; ++i) {
                dims += i ? ", " : "[";
                strides += i ? ", " : "[";
                tensor(dims, strides);
            }
            dims += ']';
            strides += ']';
        } else {
            if (argument == 'S')
                concrete += random(3) ? '"' + std::to_string(random(64)) + '"' : std::string("\"False\"");
            else if (argument == 'V')
                concrete += "\"[" + std::to_string(random(4096)) + ", " + std::to_string(random(4096)) + ", -1]\"";
            else
                concrete += "\"\"";
            types += argument == 'S' ? "\"Scalar\"" : argument == 'V' ? "\"ScalarList\"" : "\"\"";
            strides += "[]";
            dims += "[]";
        }
    }
    return "\"Concrete Inputs\": [" + concrete + "], \"Input type\": [" + types + "], \"Input Strides\": [" + strides +
           "], \"finished\": true, \"Input Dims\": [" + dims + "], ";
}

std::uint32_t OpCatalogue::addArguments(std::string_view pattern)
{
    const auto first = static_cast<std::uint32_t>(m_arguments.size());
    std::string extended(pattern);
    if (m_long)
        extended += "TTTTSVTTS";
    for (std::uint32_t i = 0; i < kVariants; ++i)
        m_arguments.push_back(argumentList(extended));
    return first;
}

int OpCatalogue::addOp(const Recipe &recipe)
{
    OpSpec spec{.name = name(recipe.name),
                .firstArguments = addArguments(recipe.arguments),
                .kernel = recipe.kernel,
                .allocates = recipe.allocates};
    for (const auto child : recipe.children)
        spec.children.push_back(opNamed(child));
    for (const auto child : recipe.backwardOps)
        spec.backwardOps.push_back(opNamed(child));
    if (!recipe.backwardNode.empty()) {
        spec.backwardNode = name(recipe.backwardNode);
        spec.backwardTask = name("autograd::engine::evaluate_function: " + std::string(recipe.backwardNode));
    }
    const int index = static_cast<int>(m_ops.size());
    m_ops.push_back(std::move(spec));
    m_opIndex.emplace(recipe.name, index);
    return index;
}

void OpCatalogue::addOps()
{
    addOp({"aten::empty", "VSSSSN", -1, true, {}, {}, {}});
    addOp({"aten::empty_strided", "VVSSSS", -1, true, {}, {}, {}});
    addOp({"aten::as_strided", "TVVN", -1, false, {}, {}, {}});
    addOp({"aten::copy_", "TTS", 3, false, {}, {}, {}});
    addOp({"aten::_to_copy", "TSNNNSN", -1, false, {"aten::empty_strided", "aten::copy_"}, {}, {}});
    addOp({"aten::to", "TSSSN", -1, false, {"aten::_to_copy"}, {}, {}});
    addOp({"aten::transpose", "TSS", -1, false, {"aten::as_strided"}, {}, {}});
    addOp({"aten::t", "T", -1, false, {"aten::transpose"}, {}, {}});
    addOp({"aten::view", "TV", -1, false, {}, {}, {}});
    addOp({"aten::reshape", "TV", -1, false, {"aten::view"}, {}, {}});
    addOp({"aten::mm", "TT", 0, true, {}, {}, {}});
    addOp({"aten::sum", "TVSN", 7, true, {"aten::as_strided"}, {}, {}});
    addOp({"aten::add_", "TTS", 2, false, {}, {}, {}});
    addOp({"aten::detach", "T", -1, false, {}, {}, {}});
    addOp({"aten::addmm",
           "TTTSS",
           1,
           true,
           {},
           "AddmmBackward0",
           {"aten::t", "aten::mm", "aten::t", "aten::mm", "aten::t", "aten::sum", "aten::view"}});
    addOp({"aten::linear", "TTT", -1, false, {"aten::t", "aten::addmm"}, {}, {}});
    addOp({"aten::native_layer_norm",
           "TVTTS",
           4,
           false,
           {"aten::empty", "aten::empty", "aten::empty", "aten::view"},
           "NativeLayerNormBackward0",
           {"aten::empty", "aten::sum", "aten::sum"}});
    addOp({"aten::layer_norm", "TVTTSS", -1, false, {"aten::native_layer_norm"}, {}, {}});
    addOp({"aten::gelu", "TS", 3, true, {}, "GeluBackward0", {"aten::empty", "aten::copy_"}});
    addOp({"aten::mul", "TT", 3, true, {}, "MulBackward0", {"aten::mm"}});
    addOp({"aten::add", "TTS", 2, true, {}, "AddBackward0", {}});
    addOp({"aten::_softmax", "TSS", 6, true, {}, "SoftmaxBackward0", {"aten::empty", "aten::copy_"}});
    addOp({"aten::softmax", "TSN", -1, false, {"aten::_softmax"}, {}, {}});
    addOp({"aten::_flash_attention_forward", "TTTNNSSSSSN", 5, true, {"aten::empty", "aten::empty"}, {}, {}});
    addOp({"aten::_scaled_dot_product_flash_attention",
           "TTTSSSN",
           -1,
           false,
           {"aten::transpose", "aten::transpose", "aten::transpose", "aten::_flash_attention_forward"},
           "ScaledDotProductFlashAttentionBackward0",
           {"aten::empty", "aten::empty", "aten::mm"}});
    addOp({"aten::scaled_dot_product_attention",
           "TTTNSSN",
           -1,
           false,
           {"aten::_scaled_dot_product_flash_attention"},
           {},
           {}});
    addOp({"aten::nll_loss_forward", "TTNSS", 7, true, {}, "NllLossBackward0", {"aten::empty"}});
    addOp({"aten::cross_entropy_loss", "TTNSSS", -1, false, {"aten::softmax", "aten::nll_loss_forward"}, {}, {}});
    addOp({"aten::_foreach_mul_", "LS", 8, false, {}, {}, {}});
    addOp({"aten::_fused_adamw_", "LLLLNSSSSSSSNN", 8, false, {}, {}, {}});
    addOp({"aten::zeros", "VSSSS", 3, true, {"aten::empty"}, {}, {}});
    addOp({"torch::autograd::AccumulateGrad", "T", -1, false, {"aten::detach", "aten::add_"}, {}, {}});
    addOp({"record_param_comms", "LNNSNVVSSS", -1, false, {}, {}, {}});
    addOp({"c10d::allreduce_", "LNNNS", -1, false, {}, {}, {}});
}

} // namespace riffle::test
