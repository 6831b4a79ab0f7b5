// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/interned_names.h"

#include "model/ingest/perfetto/fields.h"
#include "model/ingest/perfetto/wire_reader.h"

#include <optional>
#include <utility>

namespace riffle {

using namespace perfetto;

namespace {

constexpr uint64_t kBytesOfEntry = 96; ///< of a map, besides the text

std::optional<InternedNames::Kind> kindOf(uint32_t field)
{
    using Kind = InternedNames::Kind;
    switch (field) {
    case interned::kCategories: return Kind::Category;
    case interned::kEventNames: return Kind::Event;
    case interned::kAnnotationNames: return Kind::Annotation;
    case interned::kStrings: return Kind::Text;
    case interned::kStages: return Kind::Stage;
    case interned::kKernels: return Kind::Kernel;
    case interned::kKernelArguments: return Kind::KernelArgument;
    default: return std::nullopt;
    }
}

} // namespace

uint64_t InternedNames::add(std::string_view internedData, uint64_t &broken)
{
    uint64_t bytes = 0;
    WireReader reader(internedData);
    while (const auto field = reader.next()) {
        if (field->number == interned::kCounters && field->isBytes())
            bytes += addCounters(field->bytes, broken);
        const std::optional<Kind> kind = kindOf(field->number);
        if (!kind || !field->isBytes())
            continue;
        uint64_t iid = 0, category = 0;
        std::string_view name, demangled;
        WireReader entry(field->bytes);
        while (const auto part = entry.next()) {
            if (part->number == interned::kIid && part->isVarint())
                iid = part->value;
            else if (part->number == interned::kName && part->isBytes())
                name = part->bytes;
            else if (part->number == interned::kDemangledName && part->isBytes() && *kind == Kind::Kernel)
                demangled = part->bytes;
            else if (part->number == interned::kStageCategory && part->isVarint() && *kind == Kind::Stage)
                category = part->value;
        }
        if (entry.broken()) {
            ++broken;
            continue;
        }
        if (*kind == Kind::Stage)
            m_stageCategories.insert_or_assign(iid, category);
        const std::string_view text = demangled.empty() ? name : demangled;
        m_texts[static_cast<size_t>(*kind)].insert_or_assign(iid, std::string(text));
        bytes += kBytesOfEntry + text.size();
    }
    broken += reader.broken();
    return bytes;
}

uint64_t InternedNames::addCounters(std::string_view entry, uint64_t &broken)
{
    GpuCounters counters;
    uint64_t iid = 0;
    WireReader reader(entry);
    while (const auto part = reader.next()) {
        if (part->number == interned::kIid && part->isVarint())
            iid = part->value;
        else if (part->number == interned::kCounterGpu && part->isVarint())
            counters.gpu = part->signedValue();
        else if (part->number == interned::kCounterDescriptor && part->isBytes())
            addCounterNames(part->bytes, counters);
    }
    broken += reader.broken();
    m_counters.insert_or_assign(iid, std::move(counters));
    return kBytesOfEntry + 8 * entry.size();
}

void InternedNames::addCounterNames(std::string_view descriptor, GpuCounters &counters)
{
    WireReader reader(descriptor);
    while (const auto field = reader.next()) {
        if (field->number != interned::kCounterSpec || !field->isBytes())
            continue;
        uint64_t id = 0;
        std::string_view name;
        WireReader spec(field->bytes);
        while (const auto part = spec.next()) {
            if (part->number == interned::kSpecId && part->isVarint())
                id = part->value;
            else if (part->number == interned::kSpecName && part->isBytes())
                name = part->bytes;
        }
        counters.names.insert_or_assign(id, std::string(name));
    }
}

void InternedNames::clear()
{
    for (Texts &texts : m_texts)
        texts.clear();
    m_stageCategories.clear();
    m_counters.clear();
}

const std::string *InternedNames::find(Kind kind, uint64_t iid) const
{
    const Texts &texts = m_texts[static_cast<size_t>(kind)];
    const auto found = texts.find(iid);
    return found == texts.end() ? nullptr : &found->second;
}

uint64_t InternedNames::stageCategory(uint64_t iid) const
{
    const auto found = m_stageCategories.find(iid);
    return found == m_stageCategories.end() ? 0 : found->second;
}

const InternedNames::GpuCounters *InternedNames::counters(uint64_t iid) const
{
    const auto found = m_counters.find(iid);
    return found == m_counters.end() ? nullptr : &found->second;
}

} // namespace riffle
