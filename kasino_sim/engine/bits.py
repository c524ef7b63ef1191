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


@intrinsic
def _prefetch(typingctx, row, index):
    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.bitcast(builder.gep(data, [args[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(function, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(row, index), codegen


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

    def fetch_ahead(row, index):
        """Do nothing: nothing is cached."""

    deposit = deposit_plain
else:

    @kernel
    def fetch_ahead(row, index):
        """Have the processor fetch row[index], which is soon asked for, while it does the rest."""
        _prefetch(row, index)

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
