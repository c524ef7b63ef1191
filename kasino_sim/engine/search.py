"""Players that think ahead: an exact end, paired rollouts, tree search, and open cards.

Budgets are counts, and chance is drawn from streams of `worlds`: a choice depends on (rules,
players, seed, deal) alone.
"""

import numpy as np

from .bits import popcount
from .endgame import (
    FAR,
    UNKNOWN,
    best_endings,
    cards_held,
    list_weighed,
    margin_of,
    new_question,
    solve,
    try_move,
)
from .jit import inlined, kernel
from .layout import CHEAT, ENDING, MAX_LINE, MAX_NODES, MAX_OUTCOMES, MCTS, MIND, new_record
from .play import end_looks, fill_sheet, make_deck, note_decision
from .policies import ALIKE, choose_move
from .rng import SEAT, choose
from .scoring import side_of
from .table import begin_game, finish, is_over, play_move, stock_empty
from .worlds import copy_state, deal_world, luck_of

CLEARLY = 2.0  # standard errors by which a move is clearly worse
VISITS_A_MOVE = 4  # after which one more move of a position is looked at


def new_mind():
    """Return a MIND record, what one thread needs to think ahead."""
    return new_record(MIND)


@kernel
def base_move(state, rules, player, book, scratch, seed, deal, move):
    """Write the move that the player makes without thinking ahead."""
    choose_move(state, rules, player, book, scratch, seed, deal, move)


@kernel
def best_share(state, rules, score, side):
    """Return in twelfths which share of a finished deal's win a side has: a tie is shared."""
    mine = margin_of(state, rules, score, side)
    level = 1
    for s in range(rules.sides):
        if s != side:
            theirs = margin_of(state, rules, score, s)
            if theirs > mine:
                return 0
            if theirs == mine:
                level += 1
    return 12 // level


@kernel
def playout(state, rules, player, book, scratch, mind, side, seed, luck):
    """Return a side's margin, and its share of the win in twelfths, when all play on like `player`.

    Nobody thinks ahead, but that the last cards are played exactly where `player` says so.
    """
    copy_state(state, mind.playout)
    now = mind.playout
    while not is_over(now, rules):
        if player.playout_cards and stock_empty(now) and rules.sides == 2:
            if cards_held(now, rules) <= player.playout_cards:
                new_question(mind)
                value = solve(now, rules, player.score, book, scratch, mind, side, -FAR, FAR)
                if value != UNKNOWN:
                    return value, 6 if value == 0 else 12 if value > 0 else 0
        base_move(now, rules, player, book, scratch, seed, luck, scratch.move)
        play_move(now, rules, scratch.move)
    finish(now)
    margin = margin_of(now, rules, player.score, side)
    return margin, best_share(now, rules, player.score, side)


@kernel
def imagine(state, rules, number, open_cards, seed, deal, mind):
    """Write world `number` to mind.world, the true one with open cards; returns its luck."""
    if open_cards:
        copy_state(state, mind.world)
    else:
        deal_world(state, rules, number, seed, deal, mind, mind.world)
    return luck_of(state, number, seed, deal)


@inlined
def _name_of(move):
    """Return a number that no other move of the same position has."""
    return ((move.loose * 64 + move.card) * 16 + move.value) * 32 + move.builds * 7 + move.kind


@kernel
def _child_of(mind, node, name):
    """Return the node of a move after a node, 0 where there is none yet."""
    child = mind.tree[node].child
    while child and mind.tree[child].name != name:
        child = mind.tree[child].sibling
    return child


@kernel
def _grow(mind, node, name, side):
    """Put a move into the tree; returns its node, 0 where the tree is full."""
    if mind.n_nodes == MAX_NODES:
        return 0
    at = mind.n_nodes
    mind.n_nodes += 1
    new = mind.tree[at]
    new.name, new.sibling, new.child, new.side = name, mind.tree[node].child, 0, side
    new.visits, new.offers, new.total = 0, 0, 0.0
    mind.tree[node].child = at
    return at


@kernel
def _choose_branch(mind, node, n, explore):
    """Return which of the n heaviest moves to go down: by upper bound, and the untried at once."""
    best, bound = 0, 0.0
    for i in range(n):
        at = mind.branch.order[i]
        child = _child_of(mind, node, _name_of(mind.branch.moves[at]))
        if child == 0:
            return at
        known = mind.tree[child]
        known.offers += 1
        mean = known.total / known.visits
        upper = mean + explore * np.sqrt(np.log(float(known.offers)) / known.visits)
        if i == 0 or upper > bound:
            best, bound = at, upper
    return best


@kernel
def _go_down(state, rules, player, book, scratch, mind, node):
    """Follow the tree from a node, playing on from `state`, and add one move to it.

    Returns how many nodes lie on mind.path. The more often a position was seen, the more of its
    moves are looked at. Source: Cowling, Powley, Whitehouse 2012 (a move counts as offered only in
    the worlds in which it is legal).
    """
    mind.path[0], n_path = node, 1
    while n_path < MAX_LINE and not is_over(state, rules):
        if stock_empty(state) and cards_held(state, rules) <= player.playout_cards:
            break
        n = list_weighed(state, rules, player, book, scratch, mind, mind.branch)
        if n == 0:
            break
        n = min(n, player.candidates, 1 + mind.tree[node].visits // VISITS_A_MOVE)
        at = _choose_branch(mind, node, n, player.explore)
        move = mind.branch.moves[at]
        child = _child_of(mind, node, _name_of(move))
        new = child == 0
        if new:
            child = _grow(mind, node, _name_of(move), side_of(rules, state.to_move))
            if child == 0:
                break
        play_move(state, rules, move)
        mind.path[n_path] = child
        n_path, node = n_path + 1, child
        if new:
            break
    return n_path


@kernel
def descend(rules, player, book, scratch, mind, at, side, seed, luck):
    """Play mind.trial, after move `at`, down the tree and on to its end; see `playout`."""
    n_path = _go_down(mind.trial, rules, player, book, scratch, mind, at + 1)
    margin, won = playout(mind.trial, rules, player, book, scratch, mind, side, seed, luck)
    for i in range(n_path):
        node = mind.tree[mind.path[i]]
        node.visits += 1
        if node.side == side:
            node.total += margin
        elif rules.sides == 2:
            node.total -= margin
        else:
            node.total += margin_of(mind.playout, rules, player.score, node.side)
    return margin, won


@kernel
def try_moves(state, rules, player, book, scratch, mind, n, first, worlds, seed, deal):
    """Play out the n moves of mind.alive in some worlds.

    mind.margins[w * n + k] is the margin after move alive[k] in world first + w, and mind.won[…]
    the share of the win: the same cards and the same luck for all moves of a world.
    """
    side = side_of(rules, state.to_move)
    for w in range(worlds):
        luck = imagine(state, rules, first + w, player.kind == CHEAT, seed, deal, mind)
        for k in range(n):
            at = mind.alive[k]
            try_move(mind.world, rules, mind.listed.moves[at], mind)
            if player.kind == MCTS:
                result = descend(rules, player, book, scratch, mind, at, side, seed, luck)
            else:
                trial = mind.trial
                result = playout(trial, rules, player, book, scratch, mind, side, seed, luck)
            mind.margins[w * n + k], mind.won[w * n + k] = result


@kernel
def plant(mind, n, side):
    """Begin a tree with the n moves in question."""
    mind.n_nodes = n + 1
    for at in range(n + 1):
        node = mind.tree[at]
        node.child, node.visits, node.offers, node.total, node.side = 0, 0, 0, 0.0, side


@kernel
def list_candidates(state, rules, player, book, scratch, mind):
    """Write all legal moves to mind, all of them to be tried; returns how many, 0: crowded."""
    n = list_weighed(state, rules, player, book, scratch, mind, mind.listed)
    for k in range(n):
        mind.alive[k] = k
    plant(mind, n, side_of(rules, state.to_move))
    return n


@kernel
def value_worlds(state, rules, player, book, scratch, mind, first, worlds, seed, deal):
    """Try every legal move in some worlds; returns how many moves there are, 0 where too many.

    mind.listed.moves are the moves, mind.margins[w * n + k] and mind.won[…] what came of them.
    """
    n = list_candidates(state, rules, player, book, scratch, mind)
    if n * worlds <= MAX_OUTCOMES:
        try_moves(state, rules, player, book, scratch, mind, n, first, worlds, seed, deal)
    return n


@kernel
def value_endings(state, rules, player, book, scratch, mind):
    """Work out every legal move of an open ending; returns how many moves, 0 where too much.

    mind.margins[k] is the margin that move k leads to with best play.
    """
    n = list_candidates(state, rules, player, book, scratch, mind)
    new_question(mind)
    side = side_of(rules, state.to_move)
    for k in range(n):
        try_move(state, rules, mind.listed.moves[k], mind)
        value = solve(mind.trial, rules, player.score, book, scratch, mind, side, -FAR, FAR)
        if value == UNKNOWN:
            return 0
        mind.margins[k] = value
    return n


@kernel
def _drawn(mind, n, state, seed, deal):
    """Return which of n listed moves the player makes without thinking ahead."""
    ties = 1
    while (
        ties < n
        and mind.listed.weighed[mind.listed.order[ties]]
        >= mind.listed.weighed[mind.listed.order[0]] - ALIKE
    ):
        ties += 1
    return mind.listed.order[_draw(state, seed, deal, ties)]


@kernel
def _draw(state, seed, deal, ties):
    """Draw one of several moves that are as good, as a player does that does not think ahead."""
    mover = state.to_move
    return choose(seed, deal, SEAT + mover, state.plays[mover], ties) if ties > 1 else 0


@kernel
def _set_out_candidates(state, player, mind, n, seed, deal):
    """Write to mind.alive the moves that a search looks at; the first one is the base move."""
    base = _drawn(mind, n, state, seed, deal)
    mind.alive[0] = base
    filled = 1
    for i in range(n):
        if filled == player.candidates:
            break
        if mind.listed.order[i] != base:
            mind.alive[filled] = mind.listed.order[i]
            filled += 1
    for k in range(filled):
        mind.gain[mind.alive[k]], mind.square[mind.alive[k]] = 0.0, 0.0
    return filled


@kernel
def _count_in(mind, n, worlds):
    """Add up by how much each move did better than the base move, world by world."""
    for w in range(worlds):
        base = np.int64(mind.margins[w * n])
        for k in range(1, n):
            more = float(mind.margins[w * n + k] - base)
            mind.gain[mind.alive[k]] += more
            mind.square[mind.alive[k]] += more * more


@kernel
def _clearness(mind, at, worlds):
    """Return by how many standard errors a move did better than the base move."""
    mean = mind.gain[at] / worlds
    spread = mind.square[at] / worlds - mean * mean
    if spread <= 0.0:
        return 1e9 if mean > 0.0 else -1e9 if mean < 0.0 else 0.0
    return mean / np.sqrt(spread / worlds)


@kernel
def _drop_worse(mind, n, worlds):
    """Keep the base move and the better half of the others, none that is clearly worse."""
    for i in range(2, n):
        j, at = i, mind.alive[i]
        while j > 1 and mind.gain[mind.alive[j - 1]] < mind.gain[at]:
            mind.alive[j] = mind.alive[j - 1]
            j -= 1
        mind.alive[j] = at
    kept = 1 + n // 2
    while kept > 1 and _clearness(mind, mind.alive[kept - 1], worlds) < -CLEARLY:
        kept -= 1
    return kept


@kernel
def best_rollout(state, rules, player, book, scratch, mind, n, seed, deal):
    """Return which of n listed moves is best by paired playouts: the base move unless it is clear.

    With tree search, each playout first follows a tree of the moves that were made after the move
    in question. Sequential halving: every round tries the moves that are left in as many new worlds
    as its share of the playouts allows. Source: Karnin, Koren, Somekh 2013.
    """
    plant(mind, n, side_of(rules, state.to_move))
    n = _set_out_candidates(state, player, mind, n, seed, deal)
    left, worlds, rounds = player.playouts, 0, 1
    while (1 << rounds) < n:
        rounds += 1
    while n > 1 and rounds > 0:
        more = min(left // rounds // n, MAX_OUTCOMES // n)
        if more > 0:
            try_moves(state, rules, player, book, scratch, mind, n, worlds, more, seed, deal)
            _count_in(mind, n, more)
        worlds, left, rounds = worlds + more, left - more * n, rounds - 1
        if worlds > 1:
            n = _drop_worse(mind, n, worlds)
    if n > 1 and worlds > 1 and _clearness(mind, mind.alive[1], worlds) > player.threshold:
        return mind.alive[1]
    return mind.alive[0]


@kernel
def best_of_splits(state, rules, player, book, scratch, mind, n, seed, deal):
    """Return which of n listed moves does best on the mean of exact endings; -1 where too much.

    A heuristic: every split of the unseen cards is played out as if all hands lay open, and with
    more than two sides as if the others played together.
    """
    side = side_of(rules, state.to_move)
    for k in range(n):
        mind.gain[k] = 0.0
    for number in range(player.splits):
        imagine(state, rules, number, False, seed, deal, mind)
        new_question(mind)
        for k in range(n):
            try_move(mind.world, rules, mind.listed.moves[k], mind)
            score = player.score
            value = solve(mind.trial, rules, score, book, scratch, mind, side, -FAR, FAR)
            if value == UNKNOWN:
                return -1
            mind.gain[k] += value
    order, weighed, ties = mind.listed.order, mind.listed.weighed, 0
    best = order[0]
    for i in range(n):
        at = order[i]
        if mind.gain[at] > mind.gain[best]:
            best, ties = at, 0
        if mind.gain[at] == mind.gain[best] and weighed[at] >= weighed[best] - ALIKE:
            scratch.ties[ties] = at
            ties += 1
    return scratch.ties[_draw(state, seed, deal, ties)]


@kernel
def best_listed(state, rules, player, book, scratch, mind, n, seed, deal):
    """Return which of n listed moves the player makes."""
    at = -1
    if stock_empty(state) and cards_held(state, rules) <= player.last_cards:
        if rules.players == 2:
            ties = best_endings(state, rules, player, book, scratch, mind, n)
            if ties:
                return scratch.ties[_draw(state, seed, deal, ties)]
        elif player.kind == ENDING and player.splits:
            at = best_of_splits(state, rules, player, book, scratch, mind, n, seed, deal)
    if at < 0 and player.kind != ENDING:
        at = best_rollout(state, rules, player, book, scratch, mind, n, seed, deal)
    return at if at >= 0 else _drawn(mind, n, state, seed, deal)


@kernel
def think(state, rules, player, book, scratch, mind, seed, deal, move):
    """Write the move that the player to move makes, thinking ahead where that is its kind.

    Whoever has not kept in mind what was captured cannot tell what is unseen, and plays at sight.
    """
    n, ends = 0, stock_empty(state) and cards_held(state, rules) <= player.last_cards
    ahead = player.kind > ENDING or (player.kind == ENDING and ends)
    if ahead and not player.forgets:
        n = list_weighed(state, rules, player, book, scratch, mind, mind.listed)
    if n == 0:
        base_move(state, rules, player, book, scratch, seed, deal, move)
        return
    state.decisions += 1
    if scratch.detail:
        state.legal_moves += n
    at = 0
    if n > 1:
        at = best_listed(state, rules, player, book, scratch, mind, n, seed, deal)
    chosen = mind.listed.moves[at]
    move.card, move.kind, move.value = chosen.card, chosen.kind, chosen.value
    move.loose, move.builds = chosen.loose, chosen.builds


@kernel
def search_block(rules, players, seatings, fixed, seed, first_deal, book, scratch, mind, sheets):
    """Play blocks of deals as `play.play_block` does, with players that may think ahead."""
    state, deck, move = scratch.state, scratch.deck, mind.move
    for i in range(sheets.shape[0]):
        deal = first_deal + np.uint64(i)
        make_deck(rules, fixed, seed, deal, scratch)
        for g in range(sheets.shape[1]):
            begin_game(state, rules, deck)
            for _ in range(52 - rules.table):
                player = players[seatings[g, state.to_move]]
                things, moves = popcount(state.loose) + state.n_builds, state.legal_moves
                think(state, rules, player, book, scratch, mind, seed, deal, move)
                if scratch.detail:
                    note_decision(state, scratch.looks, things, state.legal_moves - moves)
                play_move(state, rules, move)
            fill_sheet(state, rules, sheets[i, g])
        if scratch.detail:
            end_looks(scratch.looks)
