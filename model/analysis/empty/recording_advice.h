// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/empty/empty_state.h"

namespace riffle {

/// The sentences for a trace that contains nothing of a kind.
struct RecordingAdvice {
    const char *missing; ///< "No operators were recorded."
    const char *none;    ///< "no operators", for the middle of a sentence
    const char *advice;  ///< how the recorder records them, or that it cannot; empty if nothing is known about it
    const char *setting; ///< the option; empty if there is none
    bool never;          ///< the recorder cannot record them

    /// The advice as a further sentence, after a space; empty if there is none.
    std::string added() const { return *advice ? std::string(" ") + advice : std::string(); }
};

RecordingAdvice recordingAdvice(EmptySubject subject, Recorder recorder);

} // namespace riffle
