"""Record types that cross into the kernels, and the numbers behind words.

Records keep their type when their contents change, so no rule set and no player compiles anything
anew. Boards are int64 with bit i for card i; ranks are 0 (ace) … 12 (king), values 1 … 16.
"""

from collections import namedtuple

import numpy as np

from .ranking import N_TABLES
from .rng import SHUFFLE_ROOM

MAX_PLAYERS = 4
MAX_BUILDS = 26  # 52 cards, two in a build
MAX_CLASSES = 8192
MAX_MOVES = 8192  # more legal moves than this are counted and drawn from, never listed

ITEMS = ("big", "little", "aces", "spades", "cards", "last", "sweeps", "each_spade")
BIG, LITTLE, ACES, SPADES, CARDS, LAST, SWEEPS, EACH_SPADE = range(8)

# Kinds of move.
TRAIL, CAPTURE, CLEAR, BUILD, MULTIPLE, RAISE, ADD = range(7)

# Kinds of card that a trail can lay, the first that fits, and cards that a capture can gather, the
# played one included and the last standing for more.
TRAIL_KINDS = ("ace", "big", "little", "spade", "plain")
CAPTURE_SIZES = (2, 3, 4, 5, 6, 7, 8)

# What a rule word means in a kernel, by the order of its allowed values.
FREE, FORCED, MUST_ACT = 0, 1, 2  # capture.obligation
RAISE_NONE, RAISE_OTHERS, RAISE_ANY = 0, 1, 2  # build.raise
DUTY_FREE, DUTY_ACT, DUTY_RESOLVE = 0, 1, 2  # build.duty
NO_EXCLUSION, FINAL_PLAY, LAST_BATCH = 0, 1, 2  # sweep.excluded

# Sets of values that a card can have; a card's code is an index into this table (0: no second).
VALUE_SETS = (
    *((v, 0) for v in range(1, 14)),
    *((1, 14), (2, 15), (10, 16), (14, 0), (15, 0), (16, 0)),
)
N_VALUE_SETS = len(VALUE_SETS)
# By code; the place behind the last set is for a code that `captures` gives a meaning.
FIRST_VALUE = np.array([*(v for v, _ in VALUE_SETS), 0])
SECOND_VALUE = np.array([*(w for _, w in VALUE_SETS), 0])
SET_OF_VALUE = np.array([0, *(VALUE_SETS.index((v, 0)) for v in range(1, 17))])

_RULE_FIELDS = (
    "players pairs sides hand table single swap "
    "ace14 sum_ranks face_sums per_play_any "
    "obligation maximal clear_card "
    "build_allowed one_addend raise_rule multiple duty keep_taker partner "
    "sweep_last_hand_card sweep_excluded sweep_cancel sweep_clear_card "
    "aim points_board"
).split()

RULES = np.dtype(
    [(name, np.int64) for name in _RULE_FIELDS]
    + [
        ("score", np.int64, 8),  # weight of each item; a sweep's is sweep.points
        ("spades_from", np.int64),
        ("aces", np.int64),  # boards of the special cards
        ("little", np.int64),
        ("big", np.int64),
        ("hand_set", np.int64, 52),  # code of the card's values when played
        ("hand_values", np.int64, 52),  # the same as a bit mask over values
        ("taker_values", np.int64, 52),  # values of the builds that the card takes
        ("build_set", np.int64, 52),  # code of the card's values in a build, -1: not to be played
        ("build_sums", np.int64, 52),  # 1: may be summed with others in a build
        ("value_board", np.int64, 17),  # cards whose hand values hold v
        ("takers", np.int64, (2, 256)),  # … one of a mask of values 1 … 8, and of 9 … 16
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("dealer", np.int64),
        ("to_move", np.uint32),  # unsigned: such an index is not asked whether it counts backwards
        ("loose", np.int64),
        ("n_builds", np.int64),
        ("build_cards", np.int64, MAX_BUILDS),
        ("build_value", np.int64, MAX_BUILDS),
        ("build_owner", np.int64, MAX_BUILDS),
        ("build_locked", np.int64, MAX_BUILDS),
        ("hands", np.int64, MAX_PLAYERS),
        ("captured", np.int64, MAX_PLAYERS),
        ("sweeps", np.int64, MAX_PLAYERS),
        ("last", np.int64),  # last capturer, -1: nobody yet
        ("deck", np.int64, 52),
        ("next_card", np.int64),  # deck[next_card : n_cards] is the stock
        ("n_cards", np.int64),
        ("plays", np.int64, MAX_PLAYERS),
        ("capturing", np.int64, MAX_PLAYERS),  # bit k: the player's play k is a capture
        ("sizes", np.int64),  # captures of each size, a byte each
        ("trailed", np.int64),  # cards laid by trails
        ("builds", np.int64, MAX_PLAYERS),  # builds made: single and multiple from the hand
        ("raises", np.int64, MAX_PLAYERS),
        ("adds", np.int64, MAX_PLAYERS),
        ("locks", np.int64),  # builds made multiple, and single ones that an addition locked
        ("taken_own", np.int64, MAX_PLAYERS),  # builds captured by their owner …
        ("taken_other", np.int64, MAX_PLAYERS),  # … and by somebody else
        ("groups", np.int64),  # bit v: some loose cards are a group of value v …
        ("sums", np.int64),  # … or sum to v; both as the last look for legal moves found them
        ("total", np.int64),  # the most that the loose cards can sum to, from the same look
        ("table", np.int64),  # the number of the loose cards, from the same look
        ("decisions", np.int64),
        ("legal_moves", np.int64),  # summed over decisions, where counted
        ("choices", np.int64),  # decisions with more than one, where counted
        ("crowded", np.int64),  # decisions with more than MAX_MOVES legal moves
    ],
    align=True,
)

MOVE = np.dtype(
    [
        ("card", np.int64),
        ("kind", np.int64),
        ("loose", np.int64),  # loose cards taken or used
        ("builds", np.int64),  # builds taken or used, bit i for build i
        ("value", np.int64),  # of the build that is made
    ],
    align=True,
)

# Moves that differ only in the loose cards: legal or not together, counted as one.
MOVE_CLASS = np.dtype(
    [
        ("card", np.int64),
        ("kind", np.int64),
        ("value", np.int64),
        ("row", np.int64),  # family of loose sets; where n_loose is 0, the three mean nothing
        ("board", np.int64),  # loose cards that this family can use
        ("entry", np.int64),  # what the book says of it
        ("n_loose", np.int64),
        ("empty", np.int64),  # 1: no loose card at all is possible too, and comes first
        ("weight", np.int64),  # number of moves
        ("legal", np.int64),
        ("n_used", np.int64),  # builds that each move uses; where 0, the rest means nothing
        ("first", np.int64),  # own builds of one value to choose from, and how many of them
        ("n_first", np.int64),
        ("second", np.int64),  # the same of the card's other value
        ("n_second", np.int64),
        ("others", np.int64),
        ("n_others", np.int64),
    ],
    align=True,
)

# One game's outcome. Per player, but `points` per side.
SHEET = np.dtype(
    [
        ("points", np.int16, (MAX_PLAYERS, 8)),
        ("cards", np.int8, MAX_PLAYERS),
        ("spades", np.int8, MAX_PLAYERS),
        ("aces", np.int8, MAX_PLAYERS),
        ("sweeps", np.int8, MAX_PLAYERS),
        ("captures", np.int8, MAX_PLAYERS),
        ("trails", np.int8, MAX_PLAYERS),
        ("builds", np.int8, MAX_PLAYERS),
        ("raises", np.int8, MAX_PLAYERS),
        ("adds", np.int8, MAX_PLAYERS),
        ("taken_own", np.int8, MAX_PLAYERS),
        ("taken_other", np.int8, MAX_PLAYERS),
        ("dry", np.int8, MAX_PLAYERS),  # by side: hands played out without a capture
        ("trailed", np.int8, len(TRAIL_KINDS)),
        ("sizes", np.int8, len(CAPTURE_SIZES)),  # captures by cards gathered
        ("last", np.int8),  # the player, -1 nobody; so too who took the casinos
        ("big", np.int8),
        ("little", np.int8),
        ("residue", np.int8),  # cards left on the table for the last capturer
        ("builds_left", np.int8),
        ("builds_locked", np.int8),
        ("tied_cards", np.int8),
        ("tied_spades", np.int8),
        ("decisions", np.int16),
        ("crowded", np.int16),
        ("choices", np.int16),
        ("legal_moves", np.int64),
    ],
    align=True,
)

# A player: how it chooses, what it weighs, and what it believes the items are worth. From ENDING
# on a player thinks ahead: see `endgame` and `search`.
KINDS = ("random", "greedy", "weigh", "ending", "rollout", "mcts", "cheat")
RANDOM, GREEDY, WEIGH, ENDING, ROLLOUT, MCTS, CHEAT = range(7)

# What a player may weigh about a move: one number each, "points" in points a deal.
_FEATURES = (
    "points",  # point cards and a sweep taken at once
    "spades",  # spades taken, times what most spades are worth
    "cards",  # cards taken, times what most cards are worth
    "capture",  # 1: something is taken
    "last_capture",  # worth of the last capture, where this one may be it
    "sweep_risk",  # worth of a sweep, times the chance that the next player can make it
    "points_risk",  # point cards left loose, times the chance that the next player can take one
    "spades_risk",  # spades left loose, times the same for any capture, times their worth
    "cards_risk",  # cards left loose, the same
    "hold_takers",  # cards kept in the hand that take something from what is left
    "hold_points",  # point cards left that a card kept takes, times the chance that they stay
    "hold_pair",  # pairs kept in the hand
    "build",  # 1: a build is made, raised or added to
    "build_points",  # point cards in it, times the chance that no opponent can take it
    "build_spades",  # spades in it, the same, times their worth
    "build_cards",  # cards in it, the same, times their worth
    "build_risk",  # the chance that some opponent can take it
    "build_taken_over",  # 1: it was somebody else's
    "build_left",  # own builds left on the table by a move that does something else
    "trail",  # 1: nothing is taken or built
    "trail_rank",  # a trailed card's number, king 1
    "trail_spade",  # 1: it is a spade, times what most spades are worth
    "trail_points",  # what it is worth by itself
    "trail_matched",  # cards of its rank kept in the hand
    "trail_known",  # cards of its rank that are out of play already
    "table_empty",  # 1: nothing is left for the next player
    "big_spent",  # 1: the big casino is played
    "ace_spent",  # 1: an ace is played
)

# Further ones by group: a group costs time only where a player weighs something in it.
FEATURE_GROUPS = {
    "kinds": (  # point cards apart from each other, each times what it is worth
        "sweep",  # worth of a sweep that is made now
        "big_taken",
        "little_taken",
        "aces_taken",
        "big_trailed",
        "little_trailed",
        "ace_trailed",
        "big_risk",  # left loose, times the chance that the next player can take it
        "little_risk",
        "aces_risk",
        "little_spent",  # 1: the little casino is played
    ),
    "race": (  # for most spades and most cards, times their worth, while it is open
        "spades_open",  # spades taken
        "spades_needed",  # the share of what the side still needs that is taken
        "spade_trailed_open",  # 1: a spade is trailed
        "spades_left_open",  # spades left loose, times the chance of any capture
        "cards_open",  # the same of cards
        "cards_needed",
        "cards_left_open",
    ),
    "exposure": (  # what the next player may find
        "capture_risk",  # the chance that the next player can take anything
        "takers_left",  # share of the unseen cards that take anything
        "single_left",  # 1: one loose card or build is all that is left
        "trail_risk",  # the chance that the next player can take the trailed card
        "trail_safe",  # 1: no unseen card takes the trailed card by itself
        "hold_sweep",  # worth of a sweep by a card kept, times the chance that nothing is taken
    ),
    "hand": (
        "hold_mates",  # cards kept that have another of their rank beside them
        "hold_direct",  # cards kept whose rank lies loose
        "capture_rank",  # number of a card that captures, king 1
        "pair_taken",  # 1: a capture takes a loose card of the played card's rank
        "sum_taken",  # 1: … loose cards of other ranks
        "mate_spent",  # 1: another card of the rank of one that captures is kept
    ),
    "builds": (
        "build_value",  # of a build that is made, 16 is 1
        "build_size",  # cards in it
        "build_takers",  # unseen cards that take it
        "build_held",  # cards kept that take it
        "build_locked",  # 1: it is a multiple one
        "build_raised",  # 1: it was raised
        "build_early",  # cards kept, a whole hand 1
        "build_seats",  # opponents who play before the player's next turn, in a batch still held
        "build_last",  # 1: the dealer makes it, who plays last in every round
        "own_taken",  # own builds that are captured
        "others_taken",  # others' builds that are captured
        "others_left",  # others' builds left on the table
        "own_unguarded",  # own builds left that no card kept takes
        "own_left_risk",  # own builds left, times the chance that the next player takes each
    ),
    "late": (  # position in the deal
        "late_capture",  # 1: a capture in the last batch
        "late_cards",  # cards taken in the last batch, times their worth
        "late_rank",  # a trailed card's number in the last batch
        "late_build",  # 1: a build in the last batch
        "late_hold",  # worth of the last capture, in the last batch, where a card kept takes
        "late_residue",  # cards a capture leaves in the last batch, where it may be the last
        "early_capture",  # share of the deck that is in the stock, at a capture
        "early_rank",  # the same times a trailed card's number
        "early_making",  # the same at a build
    ),
    "team": (  # pairs: the partner plays after the next opponent
        "partner_points",  # point cards left, times the chance that the partner takes
        "partner_sweep",  # worth of a sweep, the same
        "partner_build_taken",  # partner's builds that are captured
        "partner_build_used",  # … raised or added to
        "partner_build_left",  # … left on the table
    ),
}
KINDS_USED, RACE_USED, EXPOSURE_USED, HAND_USED, BUILDS_USED, LATE_USED, TEAM_USED = (
    1 << _g for _g in range(len(FEATURE_GROUPS))
)
FEATURES = _FEATURES + sum(FEATURE_GROUPS.values(), ())

# Their places in a row.
F = namedtuple("F", FEATURES)(*range(len(FEATURES)))

# What a tip is to the player who follows it; see `tips`.
TIPS = (
    "count_spades",
    "count_spades_in_race",
    "save_big",
    "keep_aces",
    "take_ace_with_ace",
    "lay_ace_of_two",
    "build_when_last",
    "plan_for_last",
    "trail_to_deny_sweep",
    "leave_no_sweep",
    "spade_before_plain",
    "no_early_builds",
)
TIP_FORMS = ("hard", "soft", "tie-break")
HARD, SOFT, TIE_BREAK = 1, 2, 3
TIP_HANDS = 9  # cards in the hand, the last place for as many or more

HASH_BITS = 18
POOL = 1 << 21
LIST_LIMIT = 255  # card sets of a family that a book lists; more are only counted
WORK = 1 << 14

# What one thread remembers of the families of loose cards; see `captures`.
BOOK = np.dtype(
    [
        # By number of the table, 0 where it was not asked yet; see `captures`.
        ("digests", np.int64, N_TABLES),
        ("summaries", np.int64, N_TABLES),
        ("captures", np.int32, (N_TABLES, N_VALUE_SETS)),
        ("slots", np.int64, (1 << HASH_BITS, 2)),  # what is no table's own: key, value
        ("masks", np.uint16, POOL),
        ("n_keys", np.int64),
        ("n_masks", np.int64),
        ("found", np.int64, 6),  # results of a walk, see `captures.walk`
        ("inner", np.int64, 6),  # … of a walk within a walk
        ("patterns", np.int64, LIST_LIMIT),
        ("work", np.int64, WORK),
        ("summed", np.int64),  # the table whose `sums` and `singles` these are, see `subsets`
        ("sums", np.int64, (2, 17)),
        ("singles", np.int64, (2, 17)),
        ("lists", np.int64, (3, 1 << 13)),
        ("marks", np.uint64, 64),
        ("seen", np.uint64, 64),
        ("chances", np.float64, 5 * 53 * 53),  # see `features.chance`
    ],
    align=True,
)

# What the decisions of a run looked like, by their number in the deal.
MOST_LOOKED = 1_000_000  # legal moves counted of one decision
LOOKS = np.dtype(
    [
        ("moves", np.int64, 52),  # legal moves summed over blocks, and their blocks' squares
        ("squares", np.int64, 52),
        ("block", np.int64, 52),  # of the block under way
        ("tables", np.int64, (52, 53)),  # decisions by loose cards and builds on the table
    ],
    align=True,
)

# Work space of one thread. These two are records, not tuples of arrays, because a record's
# arrays are not reference-counted: that alone makes the engine several times as fast.
SCRATCH = np.dtype(
    [
        ("classes", MOVE_CLASS, MAX_CLASSES),
        ("moves", MOVE, MAX_MOVES),
        ("sets", np.int64, MAX_MOVES),
        ("ties", np.int64, MAX_MOVES),
        ("values", np.float64, MAX_MOVES),  # what the last player weighed the moves at
        ("hard", np.float64, MAX_MOVES),  # … what its tips say of them, see `tips`
        ("finest", np.float64, MAX_MOVES),
        # By player, tip, seat and cards in the hand: decisions where the tip tells moves apart, …
        # and where another move was made for it.
        ("tip_counts", np.int64, (MAX_PLAYERS, len(TIPS), MAX_PLAYERS, TIP_HANDS, 2)),
        ("chosen", np.int64),  # number of the move made by a player with tips, and of what …
        ("without", np.int64),  # the same player had made without them by the same draw
        ("move", MOVE),
        ("state", STATE),
        ("detail", np.int64),  # 1: legal moves are counted at every decision
        ("looks", LOOKS),
        ("deck", np.int64, 52),
        ("order", np.int64, 52),
        ("words", np.uint64, SHUFFLE_ROOM),
    ],
    align=True,
)


PLAYER = np.dtype(
    [
        ("kind", np.int64),
        ("weights", np.float64, len(FEATURES)),
        ("score", np.int64, 8),  # what the player believes the items are worth
        ("tips", np.int64),  # bit t: the player follows tip t …
        ("tip_forms", np.int64, len(TIPS)),  # … as HARD, SOFT or TIE_BREAK
        ("tip_strengths", np.float64, len(TIPS)),  # below 0: the opposite
        ("tip_margin", np.float64),  # moves worth so much less than the best are as good as it
        ("number", np.int64),  # of the player among those who are packed together
        ("forgets", np.int64),  # 1: has not kept in mind which cards were captured
        ("uses", np.int64),  # bit g: something of group g of FEATURE_GROUPS weighs
        ("playouts", np.int64),  # deals that a search plays out for a move
        ("splits", np.int64),  # of the unseen last cards that are played out exactly, see `search`
        ("candidates", np.int64),  # moves that a search looks at, the best by weight
        ("explore", np.float64),  # points by which a tree search tries what it hardly knows
        ("threshold", np.float64),  # standard errors by which another move must be better
        ("last_cards", np.int64),  # cards in all hands from which it plays exactly …
        ("playout_cards", np.int64),  # … and from which its playouts do
    ],
    align=True,
)

MAX_LINE = 64  # positions of one line of play, from the one looked at
STACK = 1 << 15  # moves kept for the positions of a line
KNOWN_BITS = 14
MAX_OUTCOMES = 1 << 18  # worlds times moves that are looked at together

# A position on the line that is looked at: its moves, and what is known of its value.
FRAME = np.dtype(
    [
        ("top", np.int64),  # where the moves of the next position begin on the stack
        ("at", np.int64),  # ranks[at : end] are of the moves still to be looked at
        ("end", np.int64),
        ("low", np.int64),  # the value matters between these two
        ("high", np.int64),
        ("asked_low", np.int64),  # the same when the position was entered
        ("asked_high", np.int64),
        ("best", np.int64),
        ("banked", np.int64),  # points that no later play changes
        ("key", np.uint64),  # 0: not to be remembered
    ],
    align=True,
)

# The legal moves of a position and what a player weighs them.
LISTED = np.dtype(
    [
        ("moves", MOVE, MAX_MOVES),
        ("weighed", np.float64, MAX_MOVES),
        ("order", np.int64, MAX_MOVES),  # their places, the heaviest first
    ],
    align=True,
)

# A move in the tree of a search: what was made of it by all who could make it.
NODE = np.dtype(
    [
        ("name", np.int64),  # of the move
        ("sibling", np.int64),  # the next move of the same position, 0: none
        ("child", np.int64),  # the first move of the position after it, 0: none
        ("visits", np.int64),
        ("offers", np.int64),  # how often it could be chosen
        ("total", np.float64),  # margins of the side that makes it
        ("side", np.int64),
    ],
    align=True,
)
MAX_NODES = 1 << 16

# What one thread needs to think ahead.
MIND = np.dtype(
    [
        ("line", STATE, MAX_LINE),
        ("frames", FRAME, MAX_LINE),
        ("stack", MOVE, STACK),
        ("ranks", np.int64, STACK),  # how promising a move looks, and its place on the stack
        ("sets", np.int64, MAX_MOVES),
        ("known_keys", np.uint64, 1 << KNOWN_BITS),  # values of positions, by hash
        ("known_values", np.int64, 1 << KNOWN_BITS),
        ("question", np.int64),  # values of earlier questions do not count
        ("nodes", np.int64),  # positions looked at for the last question
        ("world", STATE),  # a split of the unseen cards
        ("trial", STATE),  # a position after a move …
        ("playout", STATE),  # … being played out
        ("unseen", np.int64, 52),
        ("words", np.uint64, SHUFFLE_ROOM),
        ("listed", LISTED),  # the legal moves in question
        ("move", MOVE),  # … the one that is made
        ("gain", np.float64, MAX_MOVES),  # what they came to in playouts, and its square
        ("square", np.float64, MAX_MOVES),
        ("alive", np.int64, MAX_MOVES),  # places of those that are tried
        ("tree", NODE, MAX_NODES),  # the first of them are moves in question, by their places + 1
        ("n_nodes", np.int64),
        ("path", np.int64, MAX_LINE),  # nodes on the way down
        ("branch", LISTED),  # the legal moves where it stands
        ("margins", np.int16, MAX_OUTCOMES),  # by world and move, see `search.try_moves`
        ("won", np.int8, MAX_OUTCOMES),
    ],
    align=True,
)


def new_record(dtype):
    """Return one zeroed record that works compiled, uncompiled and pickled alike."""
    record = np.empty(1, dtype)  # zeroed by hand: NumPy asks for huge pages for such memory alone
    record.view(np.uint8)[:] = 0
    return record.view(np.recarray)[0]


def new_records(dtype, n):
    """Return `n` zeroed records."""
    return np.zeros(n, dtype).view(np.recarray)
