// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/look/text_card.h"
#include "views/memory/landscape/landscape_canvas.h"

namespace riffle {

/// A small card beside the pointer: the properties of the allocation under it, and the program's own frames.
class AllocationCard : public TextCard {
    Q_OBJECT
public:
    AllocationCard(LandscapeState *state, MemorySession *memory, QWidget *parent);

    /// `at`: the pointer in the parent's coordinates; the card stays inside `bounds`.
    void showFor(const LandscapeCanvas::Hit &hit, QPoint at, const QRect &bounds);

private:
    QStringList describe(const LandscapeCanvas::Hit &hit) const;

    LandscapeState *m_state;
    MemorySession *m_memory;
    const void *m_categories = nullptr;           ///< identifies the categories that the lines show
    uint32_t m_allocation = MemorySession::kNone; ///< the allocation that the lines describe
};

} // namespace riffle
