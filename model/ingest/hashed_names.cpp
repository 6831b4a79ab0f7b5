// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/hashed_names.h"

#include "model/base/ascii.h"
#include "model/base/quoted_text.h"
#include "model/trace/json_entries.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <set>

namespace riffle {

namespace {

constexpr size_t kLongestNumber = 6; ///< digits; longer ones can be the numbers of jobs, dates or telephones

/// The words of public software by which the analyses tell kinds of work, in lower case: of operators, kernels and
/// libraries; of communication; of types; of steps, Python and the profiler.
constexpr std::string_view kKnownWords = R"(
act add addbmm addmm addmv addr ampere and anonymous apply asmconv asyncio at aten atomic attention attn autograd
baddbmm bgmma bmm bn bw bwd byte cache cast cat catarray cell cgemm chain chunk cijk clamp classgemm clear cnhw col
column combine concat conv convert convertqgrad converttensor convolution convolve copy copybuffer cub cublas cuda
cudart cudnn cumsum cunn cutlass decode decodewith deep dense depthwise dgemm dgrad dmma dot dropout efficient
elementwise embedding engine epilogue ffma fft fill fillbuffer flash flashattention flashattnbwd flashattnfwd fmha
foldednhwc foreach fprop functor fused fw fwdcombine gammabeta gcgemm gelu gemm gemmk gemmsn gemv gmma grad grid
grouped gru gtcx hcudnn hgemm hip hipcub histogram hmma im imma implicit in index indexer indexing indices input
interpolate kentry kernel launch layer layout lengths linalg linear logits loss lstm magma marlin matmul mem metadata
mfma mha miopen mkldnn mla mm mma moe mul multi mv naive namespace native nchw nchwtonhwc nhwc nhwctofolded nhwctonchw
nll nms norm normalize nvjet offsets ograddoto operator output overrideable paged pagedkvcache per permute poi
pointwise pool postprocess prefill prefillwith prelu preprocess processed product qgmma qmma quant quantize red reduce
reducesplitk reduction regular relu repack reshape rnn rocclr rocprim rotary rowwisemoments sage sampl scalar scaled
scalepackedtensor scan scatter scudnn sdpa sgemm silu simt sin slow sm softmax sort sparse specialized splitkreduce
splitkv splitkvcombine std store stride subtensorop sum swiglu symm tanh tbc tcgen tensormaps tensorop thnn thrust
tmaumma topk transpose triton umma unique unrolled upsample vectorized void warp weight wgmma wgrad winograd wmma xdl
xla xmma zgemm

all allgather allreduce alltoall async barrier broadcast coalesced coalescing comms communication cpu dev device
direct dispatch dma endcoalescing ep functional gather gloo gpu group hccl init internode intranode ll mccl mpi
multimem nccl nvshmem one oneccl param pipe rccl record recv reducescatter request ring send sendrecv shot simple size
startcoalescing tree two ucc wait work world xccl

bf bfloat bool char complex complexdouble complexfloat complexhalf double false float fp half int integer list long
longint none null short shortint signed signedchar strided tensor true uint undefined unsigned unsignedchar

ac accumulate adagrad adam annotation back backward built call compiled context data dataloader dto dynamo
enumerate evaluate event forward frozen function fwd fwdbwd graph hto id importlib inductor iter iteration
lambda lib lightning loader main memcpy memcpyasync memory memset method module modules ms next nn ns optimization
optimizer packages paddle pageable pinned pl process processor profile profiler profilestep py python pythonop
pythonuserdefined pytorch rank ranks region root runpy sgd site spans step stream sync synchronisation synchronize
text thread threading torch torchvision traces unnamed user userdefined zero
)";

/// The categories whose names are calls of CUDA, copies and arrows, which say nothing about a project.
constexpr std::array<std::string_view, 8> kPublicCategories{"cuda_runtime", "cuda_driver", "gpu_memcpy", "gpu_memset",
                                                            "cuda_sync",    "overhead",    "ac2g",       "fwdbwd"};
/// Top-level keys of events and files whose texts are part of the format or about devices.
constexpr std::array<std::string_view, 8> kFormatKeys{
    "ph", "cat", "bp", "s", "cname", "deviceProperties", "displayTimeUnit", "schemaVersion"};

bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool isLower(char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }
bool isPart(char c) { return isUpper(c) || isLower(c) || asciiDigit(c) || c == '_'; }

bool isKnown(std::string_view word)
{
    static const std::set<std::string, std::less<>> known = [] {
        std::set<std::string, std::less<>> words;
        for (size_t at = 0; at < kKnownWords.size();) {
            const size_t end = std::min(kKnownWords.size(), kKnownWords.find_first_of(" \n", at));
            if (end > at)
                words.emplace(kKnownWords.substr(at, end - at));
            at = end + 1;
        }
        return words;
    }();
    return word.size() == 1 || known.contains(asciiLower(word));
}

/// The end of the word or number that begins at `at`: "nccl", "Dev", "128".
size_t endOfWord(std::string_view text, size_t at)
{
    size_t end = at;
    if (asciiDigit(text[at])) {
        while (end < text.size() && asciiDigit(text[end]))
            ++end;
        return end;
    }
    while (end < text.size() && isUpper(text[end]))
        ++end;
    if (end - at > 1 && end < text.size() && isLower(text[end]))
        --end; // the last capital begins the next word: "NLL|Loss"
    if (end - at <= 1)
        while (end < text.size() && isLower(text[end]))
            ++end;
    return end;
}

void appendHashed(std::string &out, std::string_view identifier)
{
    bool isFirst = true;
    for (size_t at = 0; at < identifier.size();) {
        if (identifier[at] == '_') {
            out += identifier[at++];
            continue;
        }
        const size_t end = endOfWord(identifier, at);
        const std::string_view word = identifier.substr(at, end - at);
        at = end;
        if (asciiDigit(word.front()) ? word.size() <= kLongestNumber : isKnown(word)) {
            out += word;
            continue;
        }
        out += 'x';
        if (isFirst)
            out += fmt::format("{:010x}", XXH3_64bits(identifier.data(), identifier.size()) & 0xff'ffff'ffff);
        isFirst = false;
    }
}

size_t endOfString(std::string_view json, size_t at)
{
    for (++at; at < json.size() && json[at] != '"'; ++at)
        at += json[at] == '\\';
    return std::min(json.size(), at + 1);
}

/// The plain text of a top-level value; empty if there is none.
std::string topLevel(std::string_view json, std::string_view key)
{
    for (const JsonEntry &entry : entriesOf(json))
        if (entry.key == key)
            return plainText(entry.value);
    return {};
}

template <size_t N>
bool contains(const std::array<std::string_view, N> &list, std::string_view text)
{
    return std::ranges::find(list, text) != list.end();
}

} // namespace

std::string hashedName(std::string_view name)
{
    std::string out;
    for (size_t at = 0; at < name.size();) {
        size_t end = at;
        while (end < name.size() && isPart(name[end]))
            ++end;
        if (end == at)
            out += name[at++];
        else
            appendHashed(out, name.substr(at, end - at));
        at = std::max(at, end);
    }
    return out;
}

void hashNames(std::string &json)
{
    const std::string phase = topLevel(json, "ph");
    const bool keepsName = !phase.empty() && (phase == "M" || contains(kPublicCategories, topLevel(json, "cat")));
    std::string out, key; // the key at the top level
    int depth = 0;
    for (size_t at = 0; at < json.size();) {
        const char c = json[at];
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c != '"') {
            out += c;
            ++at;
            continue;
        }
        const size_t end = endOfString(json, at);
        const std::string_view literal = std::string_view(json).substr(at, end - at);
        const size_t next = json.find_first_not_of(" \t\r\n", end);
        const bool isKey = next != json.npos && json[next] == ':';
        at = end;
        if (isKey && depth == 1)
            key = plainText(literal);
        if (isKey || contains(kFormatKeys, key) || (depth == 1 && key == "name" && keepsName))
            out += literal;
        else
            out += jsonString(hashedName(plainText(literal)));
    }
    json = std::move(out);
}

} // namespace riffle
