# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The rank of this process according to its launcher: torchrun (and DeepSpeed), Paddle, Open MPI, MPICH, PMIx, Slurm."""

import os

_VARIABLES = ("RANK", "PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")


def rank():
    """The rank, or None if it is unknown."""
    for name in _VARIABLES:
        value = os.environ.get(name, "")
        if value.isascii() and value.isdigit():
            return int(value)
    return None


def among(ranks):
    """True if this process is one of `ranks`; a process without a rank counts as rank 0. None means all ranks."""
    if ranks is None:
        return True
    return (rank() or 0) in set(ranks)


def among_text(ranks):
    """The same for a text such as "0,1,8-15"; empty means all ranks."""
    ranges = [part.split("-") for part in ranks.split(",") if part]
    return not ranges or any(int(part[0]) <= (rank() or 0) <= int(part[-1]) for part in ranges)
