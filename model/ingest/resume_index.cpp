// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/resume_index.h"

#include <xxhash.h>

namespace riffle {

namespace {
constexpr uint32_t kMagic = 0x58495252; ///< "RRIX"
constexpr uint32_t kVersion = 1;
} // namespace

std::string ResumeIndex::write(Container container, uint64_t fileBytes, uint64_t textBytes, std::string_view table)
{
    ByteWriter checked;
    checked.put(kMagic);
    checked.put(kVersion);
    checked.put(container);
    checked.put(fileBytes);
    checked.put(textBytes);
    checked.putText(table);
    const uint64_t hash = XXH3_64bits(checked.bytes().data(), checked.bytes().size());
    checked.put(hash);
    return checked.take();
}

Result<ResumeIndex> ResumeIndex::read(std::string_view bytes, std::shared_ptr<const void> owner)
{
    if (!owner) {
        auto copy = std::make_shared<const std::string>(bytes);
        bytes = *copy;
        owner = copy;
    }
    ByteReader reader(bytes);
    const auto magic = reader.get<uint32_t>();
    const auto version = reader.get<uint32_t>();
    ResumeIndex index;
    index.container = reader.get<Container>();
    index.fileBytes = reader.get<uint64_t>();
    index.textBytes = reader.get<uint64_t>();
    index.table = reader.getText();
    const size_t checked = bytes.size() - reader.left().size();
    const auto hash = reader.get<uint64_t>();
    if (!reader.ok() || magic != kMagic || version != kVersion || hash != XXH3_64bits(bytes.data(), checked))
        return damagedIndex({});
    index.payload = reader.left();
    index.owner = std::move(owner);
    return index;
}

Error sourceChanged(const std::string &path)
{
    return {"The file changed while it was being read.", path, std::nullopt, ErrorKind::Changed};
}

Error outOfText(const std::string &path, uint64_t offset)
{
    return {"The source text ends before this position.", path, offset};
}

std::optional<Error> errorAt(const std::optional<std::string> &message, const std::string &path, uint64_t offset)
{
    return message ? std::optional(Error{*message, path, offset}) : std::nullopt;
}

Error overInflateLimit(const std::string &path, uint64_t limit)
{
    return {"The archive inflates to more than the limit of " + std::to_string(limit) + " bytes.", path, std::nullopt,
            ErrorKind::Limit};
}

Error damagedIndex(const std::string &path)
{
    return {"The stored index of the source text is damaged.", path, std::nullopt, ErrorKind::Changed};
}

} // namespace riffle
