// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace riffle {

/// A name without what it tells about a project: every word that is not one of the words by which analyses recognise
/// kinds of work (gemm, nccl, backward, ...) is replaced. The first one of an identifier becomes the hash of the
/// identifier, the others become "x", so the same identifier has the same hash in every name and in every file.
/// Numbers, punctuation and single letters stay, and so does the syntax of files, frames and templates. The hash hides
/// names from readers, not from somebody who guesses one and hashes it.
std::string hashedName(std::string_view name);

/// Replaces the names in the JSON of an event, or of a top-level key with its value in an object: the event's name
/// (unless it is a call of the CUDA runtime, a copy or metadata), and all texts of its arguments. Categories, keys,
/// numbers and the properties of devices stay.
void hashNames(std::string &json);

} // namespace riffle
