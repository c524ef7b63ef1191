"""Sets of cards as 52-bit boards: bit i is card i, so the suits of a rank are one nibble.

Compiled, the three primitives are single instructions where the processor has them; each has a
plain twin that gives the same results.
"""

import platform

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic

from .jit import JIT_OFF, kernel

SLOW_PDEP = ("znver1", "znver2")  # these processors emulate the instruction


def _has_pdep() -> bool:
    if platform.machine().lower() not in ("x86_64", "amd64") or config.CPU_NAME:
        return False
    if llvm.get_host_cpu_name() in SLOW_PDEP:
        return False
    return bool(llvm.get_host_cpu_features().get("bmi2", False))


HAS_PDEP = not JIT_OFF and _has_pdep()


@intrinsic
def _ctpop(typingctx, board):
    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def _cttz(typingctx, board):
    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), codegen


@intrinsic
def _pdep(typingctx, bits, board):
    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        function = builder.module.declare_intrinsic(
            "llvm.x86.bmi.pdep.64", fnty=ir.FunctionType(word, [word, word])
        )
        return builder.call(function, args)

    return types.int64(types.int64, types.int64), codegen


def deposit_plain(bits, board):
    """Spread the low bits of `bits` over the set bits of `board`, lowest first."""
    chosen = 0
    while board:
        lowest = board & -board
        if bits & 1:
            chosen |= lowest
        bits >>= 1
        board ^= lowest
    return chosen


if JIT_OFF:

    def popcount(board):
        """Return the number of cards on the board."""
        return int(board).bit_count()

    def lowest(board):
        """Return the number of the lowest card on a board that is not empty."""
        return (int(board) & -int(board)).bit_length() - 1

    deposit = deposit_plain
else:

    @kernel
    def popcount(board):
        """Return the number of cards on the board."""
        return _ctpop(board)

    @kernel
    def lowest(board):
        """Return the number of the lowest card on a board that is not empty."""
        return _cttz(board)

    if HAS_PDEP:

        @kernel
        def deposit(bits, board):
            """Spread the low bits of `bits` over the set bits of `board`, lowest first."""
            return _pdep(bits, board)
    else:
        deposit = kernel(deposit_plain)
