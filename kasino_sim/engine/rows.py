"""Legal moves as rows of numbers, for those who study positions rather than play them."""

from .features import weigh
from .jit import kernel
from .moves import legal_classes, list_moves
from .view import look


@kernel
def feature_rows(state, rules, book, scratch, players, rows):
    """Write rows[m, k]: what players[k] weighs legal move m; returns the number of moves.

    `players` : PLAYER[k], `rows` : float64[moves, k]. The moves stand in scratch.moves, in the
    order of `moves.nth_move`; where more are legal than there are rows, nothing is written.
    """
    n, total = legal_classes(state, rules, book, scratch)
    if total > rows.shape[0]:
        return total
    list_moves(rules, book, scratch, n, scratch.moves, scratch.sets)
    view = look(state, rules)
    for m in range(total):
        for k in range(players.shape[0]):
            rows[m, k] = weigh(state, rules, book, players[k], view, scratch.moves[m])
    return total
