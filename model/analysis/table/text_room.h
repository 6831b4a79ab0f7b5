// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/utf8.h"

#include <cstddef>
#include <string>
#include <utility>

namespace riffle {

/// Bounds the memory of texts that rows copy from a file. A small file can contain one text of a megabyte and many rows
/// with it, so texts of more than kShort bytes are cut once those before them have filled the room.
class TextRoom {
public:
    static constexpr size_t kBytes = size_t(256) << 20, kShort = 200;

    std::string fit(std::string text)
    {
        if (text.size() > kShort && text.size() > m_left)
            text = shortened(text, kShort);
        m_left -= text.size() < m_left ? text.size() : m_left;
        return text;
    }

private:
    size_t m_left = kBytes;
};

} // namespace riffle
