// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_sampler.h"

#include "collector/src/clock.h"

#include <algorithm>

namespace riffle::collector {

namespace {

constexpr size_t kShown = 256;         ///< frames of a sample; if there are more, those in the middle are left out
constexpr size_t kLongest = 1 << 15;   ///< a chain with more frames is taken for a torn one
constexpr size_t kFrameBytes = 104;    ///< of a frame, as far as it is read
constexpr size_t kCodeBytes = 144;     ///< of a code object
constexpr size_t kTextBytes = 48;      ///< of a str: its header
constexpr size_t kMostCodes = 1 << 16; ///< names that are known at the same time
constexpr int kLooks = 4;

/// Memory that has been freed starts with a pointer, or with 0.
bool isAlive(const std::byte *object)
{
    const auto references = DirectMemory::read<uint64_t>(object);
    return references != 0 && references < uint64_t{1} << 33; // immortal objects of 3.12 have 2^32 - 1
}

uint64_t mixedIn(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/// The path as PyTorch's profiler writes it: from the package on, where it is one that is installed.
std::string_view shortened(std::string_view path)
{
    for (const std::string_view folder : {"/site-packages/", "/dist-packages/"})
        if (const size_t at = path.rfind(folder); at != path.npos)
            return path.substr(at + folder.size());
    constexpr std::string_view kLibrary = "/lib/python3.";
    if (const size_t at = path.rfind(kLibrary); at != path.npos)
        if (const size_t slash = path.find('/', at + kLibrary.size()); slash != path.npos)
            return path.substr(slash + 1);
    return path;
}

const SampledName &leftOut()
{
    static const SampledName name = std::make_shared<const std::string>("(frames that are left out)");
    return name;
}

} // namespace

std::span<const PythonSample> PythonSampler::sample(bool &isWhole)
{
    isWhole = readPythonThreads(m_python.layout(), m_python.threads(), m_memory, m_threads);
    size_t count = 0;
    for (const PythonThread &thread : m_threads) {
        if (count == m_samples.size())
            m_samples.emplace_back();
        PythonSample &sample = m_samples[count++];
        sample.osThread = thread.osThread;
        sample.time = now();
        sample.result = look(thread, sample.frames);
    }
    if (m_bases.size() > 2 * m_threads.size() + 64) // threads that have ended
        m_bases.clear();
    return std::span(m_samples).first(count);
}

PythonSample::Result PythonSampler::look(const PythonThread &thread, std::vector<SampledFrame> &frames)
{
    PythonAddress &base = m_bases[thread.osThread];
    frames.clear();
    for (int look = 0; look < kLooks; ++look) {
        m_memory.forget();
        PythonAddress current = nullptr, after = nullptr;
        if (!readCurrent(thread.state, current))
            continue;
        if (!current)
            return PythonSample::kNone;
        if (!walk(current))
            continue;
        // Python makes the state of a new thread in the thread that starts it, and gives it its own number when it
        // runs.
        uint64_t identity = 0;
        if (!m_memory.readNow(thread.state + placeOfIdentity(m_python.layout()), identity) ||
            identity != thread.identity)
            return PythonSample::kNone;
        // A chain that ends early is torn, so a new outermost frame must be found twice.
        if (std::exchange(base, m_chain.back().frame) != m_chain.back().frame || !name())
            continue;
        frames.swap(m_frames);
        // Another look would find functions that return at once less often than they run.
        return readCurrent(thread.state, after) && after == current ? PythonSample::kWhole : PythonSample::kMoved;
    }
    return PythonSample::kTorn;
}

bool PythonSampler::readCurrent(PythonAddress state, PythonAddress &frame) const
{
    const PythonLayout &layout = m_python.layout();
    if (!m_memory.readNow(state + layout.threadFrame, frame))
        return false;
    return !layout.throughCFrame || !frame || m_memory.readNow(frame + layout.cframeFrame, frame);
}

/// Follows the frames to the outermost one.
bool PythonSampler::walk(PythonAddress frame)
{
    const PythonLayout &layout = m_python.layout();
    m_chain.clear();
    for (size_t count = 0; frame; ++count) {
        std::array<std::byte, kFrameBytes> copy;
        if (count == kLongest || !isAligned(frame) || !m_memory.read(frame, copy.data(), copy.size()))
            return false;
        const auto field = [&](uint32_t offset) { return DirectMemory::read<PythonAddress>(copy.data() + offset); };
        const bool isPython =
            !layout.frameOwner || DirectMemory::read<uint8_t>(copy.data() + layout.frameOwner) < kFrameOfCStack;
        const std::byte *instruction = copy.data() + layout.frameInstruction;
        if (isPython)
            m_chain.push_back({frame, field(layout.frameCode),
                               layout.instructionIsIndex ? DirectMemory::read<uint32_t>(instruction)
                                                         : DirectMemory::read<uint64_t>(instruction)});
        frame = field(layout.framePrevious);
    }
    return !m_chain.empty();
}

/// Puts the frames of the chain into m_frames, with their names. Returns false if one of them is not a frame.
bool PythonSampler::name()
{
    m_frames.clear();
    m_left = m_chain.size() > kShown ? m_chain.size() - kShown : 0;
    const auto middle = m_chain.begin() + kShown / 2;
    if (m_left > 0)
        m_chain.erase(middle, middle + static_cast<std::ptrdiff_t>(m_left));
    if (!markCodes())
        return false;
    if (m_known.size() > kMostCodes)
        m_known.clear();
    for (size_t i = m_chain.size(); i-- > 0;) {
        const Frame &frame = m_chain[i];
        const auto [found, isNew] = m_known.try_emplace(frame.code);
        Known &known = found->second;
        if ((isNew || known.mark != m_marks[i]) && !define(frame.code, &m_headers[i * kCodeBytes], known)) {
            m_known.erase(found);
            return false;
        }
        known.mark = m_marks[i];
        if (known.name)
            m_frames.push_back({known.name, frame.place});
        if (m_left && i == kShown / 2)
            m_frames.push_back({leftOut(), 0});
    }
    return true;
}

/// Copies the code objects of the chain and computes what tells each of them from others at the same address.
bool PythonSampler::markCodes()
{
    const PythonLayout &layout = m_python.layout();
    m_addresses.clear();
    for (const Frame &frame : m_chain)
        m_addresses.push_back(frame.code);
    if (!std::all_of(m_addresses.begin(), m_addresses.end(), isAligned))
        return false;
    m_headers.resize(m_addresses.size() * kCodeBytes);
    if (!m_memory.readAll(m_addresses, m_headers.data(), kCodeBytes))
        return false;
    m_marks.clear();
    for (size_t i = 0; i < m_addresses.size(); ++i) {
        const std::byte *code = &m_headers[i * kCodeBytes];
        if (DirectMemory::read<const void *>(code + kObjectType) != m_python.types().code || !isAlive(code))
            return false;
        uint64_t mark = DirectMemory::read<uint64_t>(code + layout.codeLineTable);
        if (layout.codeVersion)
            mark = mixedIn(mark, DirectMemory::read<uint32_t>(code + layout.codeVersion));
        for (const uint32_t offset : {layout.codeConstants, layout.codeName, layout.codeFile})
            mark = mixedIn(mark, DirectMemory::read<uint64_t>(code + offset));
        m_marks.push_back(mixedIn(mark, DirectMemory::read<uint32_t>(code + layout.codeFirstLine)));
    }
    return layout.codeVersion != 0 || markTexts();
}

/// Before 3.12 code objects have no numbers, so what their names are counts, too: programs make and drop code in loops,
/// whose pointers may all be the same.
bool PythonSampler::markTexts()
{
    const PythonLayout &layout = m_python.layout();
    for (const uint32_t offset : {layout.codeName, layout.codeFile}) {
        for (size_t i = 0; i < m_addresses.size(); ++i)
            m_addresses[i] = DirectMemory::read<PythonAddress>(&m_headers[i * kCodeBytes] + offset);
        m_texts.resize(m_addresses.size() * kTextBytes);
        if (!std::all_of(m_addresses.begin(), m_addresses.end(), isAligned) ||
            !m_memory.readAll(m_addresses, m_texts.data(), kTextBytes))
            return false;
        for (size_t i = 0; i < m_addresses.size(); ++i) {
            const std::byte *text = &m_texts[i * kTextBytes];
            auto hash = DirectMemory::read<uint64_t>(text + kTextHash);
            std::string characters;
            if (hash == UINT64_MAX && readText(m_addresses[i], characters)) // Python has not computed it yet
                hash = std::hash<std::string>()(characters);
            m_marks[i] = mixedIn(mixedIn(m_marks[i], hash), DirectMemory::read<uint64_t>(text + kTextLength));
        }
    }
    return true;
}

/// Reads the names of a code object that is not known yet.
bool PythonSampler::define(PythonAddress code, const std::byte *header, Known &known)
{
    const PythonLayout &layout = m_python.layout();
    const auto pointer = [&](uint32_t offset) { return DirectMemory::read<PythonAddress>(header + offset); };
    known.name = nullptr;
    if (pointer(layout.codeFile) == pointer(layout.codeName)) // the code with which the interpreter calls __init__
        return true;
    std::string file, function;
    const uint32_t nameAt = layout.codeQualifiedName ? layout.codeQualifiedName : layout.codeName;
    if (!readText(pointer(layout.codeFile), file) || !readText(pointer(nameAt), function))
        return false;
    // The texts belong to the code object if it is still there.
    std::array<std::byte, kCodeBytes> again;
    if (!m_memory.readNow(code, again.data(), again.size()) || !isAlive(again.data()))
        return false;
    for (const uint32_t offset : {kObjectType, layout.codeFile, nameAt, layout.codeLineTable})
        if (DirectMemory::read<PythonAddress>(again.data() + offset) != pointer(offset))
            return false;
    if (file.find("/riffle_profiler/_") != file.npos) // Riffle's own Python part
        return true;
    const auto line = DirectMemory::read<int32_t>(header + layout.codeFirstLine);
    known.name = std::make_shared<const std::string>(std::string(shortened(file)) + "(" + std::to_string(line) +
                                                     "): " + function);
    return true;
}

/// Copies a str, or as much as is shown of it.
bool PythonSampler::readText(PythonAddress text, std::string &to) const
{
    constexpr size_t kMostBytes = 4096;
    constexpr size_t kHeader = 72; ///< the longest
    std::array<std::byte, kHeader + kMostBytes> copy;
    const PythonLayout &layout = m_python.layout();
    if (!isAligned(text) || !m_memory.readNow(text, copy.data(), layout.asciiHeader))
        return false;
    if (DirectMemory::read<const void *>(copy.data() + kObjectType) != m_python.types().text || !isAlive(copy.data()))
        return false;
    // The characters are only where they would be. The length of the copy is set to what fits.
    const auto width = DirectMemory::read<uint32_t>(copy.data() + kTextState) >> 2 & 7;
    const auto length = std::min(DirectMemory::read<int64_t>(copy.data() + kTextLength), int64_t{kMostBytes / 4});
    std::memcpy(copy.data() + kTextLength, &length, sizeof(length));
    if (const auto characters = pythonCharacters(layout, m_python.types(), copy.data()); !characters.empty())
        if (const auto offset = static_cast<size_t>(characters.data() - copy.data());
            !m_memory.readNow(text + layout.asciiHeader, copy.data() + layout.asciiHeader,
                              offset + static_cast<size_t>(length) * width - layout.asciiHeader))
            return false;
    std::array<char, kMostBytes> utf8;
    to = pythonText(layout, m_python.types(), copy.data(), utf8);
    return true;
}

} // namespace riffle::collector
