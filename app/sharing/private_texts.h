// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// The texts of this machine that a package must not contain: the user's folder, the folder for temporary files, the
/// names of the user and of the machine, and any further folders. Only whole words and whole folders count.
class PrivateTexts {
public:
    /// `folders` are absolute paths.
    explicit PrivateTexts(const std::vector<std::string> &folders);

    /// True if the text contains one of them, in any case and also as a part of a word.
    bool touches(std::string_view text) const;
    /// Replaces them in a text, also where it is JSON.
    void replaceIn(std::string &text) const;
    /// Replaces them by texts of the same length, so that binary files stay readable. `isEnd` says that no bytes
    /// follow; otherwise matches that end in the last byte are left for the next call.
    void coverIn(std::string &bytes, bool isEnd) const;
    /// The length of the longest one in bytes.
    size_t longest() const { return m_longest; }

private:
    struct Private {
        std::string text, by;
    };
    void add(const std::string &text, const std::string &by);
    template <typename F>
    void forEachMatch(const std::string &text, const Private &one, F visit) const;

    std::vector<Private> m_texts; ///< longest first
    size_t m_longest = 0;
};

} // namespace riffle
