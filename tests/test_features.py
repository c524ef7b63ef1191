"""Every feature of the groups, beside the same in plain sets and lists."""

import itertools
import math
import random

import numpy as np
import pytest

from kasino_sim.catalog import load_ruleset
from kasino_sim.engine.features import weigh
from kasino_sim.engine.layout import FEATURE_GROUPS, FEATURES, MAX_MOVES, new_records
from kasino_sim.engine.layout import MOVE as MOVE_TYPE
from kasino_sim.engine.moves import legal_classes, list_moves
from kasino_sim.engine.view import look
from kasino_sim.game import Table, _work_space, cards_of
from kasino_sim.pack import hand_values, table_values
from kasino_sim.players import Player, load_player, pack_players

FINER = sum(FEATURE_GROUPS.values(), ())
KINDS = ("trail", "capture", "clear", "build", "multiple", "raise", "add")
RULES = [
    ("svensk", 2, "solo"), ("svensk", 3, "solo"), ("svensk", 4, "pairs"), ("norsk", 2, "solo"),
    ("casino", 3, "solo"), ("dansk-casino", 2, "solo"), ("dansk-svupper", 4, "solo"),
    ("dragkasino", 2, "solo"),
]  # fmt: skip


def player_with(weights):
    return Player(name="x", idea="x", source="x", kind="weigh", weights=weights)


class Seen:
    """A position as the player to move sees it, in sets."""

    def __init__(self, table):
        state, self.rules = table.state, table.rules
        n = self.rules.n_players
        self.me, self.dealer = int(state.to_move), int(state.dealer)
        self.hands = [set(cards_of(state.hands[p])) for p in range(n)]
        self.captured = [set(cards_of(state.captured[p])) for p in range(n)]
        self.loose = set(cards_of(state.loose))
        self.builds = [
            (set(cards_of(state.build_cards[b])), int(state.build_value[b]),
             int(state.build_owner[b]))
            for b in range(state.n_builds)
        ]  # fmt: skip
        self.stock = int(state.n_cards - state.next_card)
        known = self.hands[self.me] | self.loose | set().union(*self.captured)
        self.unseen = set(range(52)) - known.union(*(b[0] for b in self.builds))
        self.side = [p % 2 if self.rules.deal.teams == "pairs" else p for p in range(n)]

    def chance(self, takers):
        following = self.hands[(self.me + 1) % len(self.hands)]
        held = len(following)
        if all(not h for p, h in enumerate(self.hands) if p != self.me):
            held = self.rules.deal.hand if len(self.hands[self.me]) == 1 and self.stock else 0
        n, k = len(self.unseen), len(takers & self.unseen)
        return 1 - math.comb(n - k, min(held, n)) / math.comb(n, min(held, n))

    def takers(self, values):
        return {c for c in range(52) if set(hand_values(self.rules, c)) & values}

    def group_values(self, loose, needed=None):
        """Values that some group of the loose cards has, one that holds the card `needed`."""
        found = set()
        for n in range(1, len(loose) + 1):
            for cards in itertools.combinations(sorted(loose), n):
                if needed is not None and needed not in cards:
                    continue
                if n > 1 and self.rules.values.faces != "numeric" and max(cards) >= 40:
                    continue
                for values in itertools.product(*(table_values(self.rules, c) for c in cards)):
                    total = sum(values)
                    pairs = self.rules.values.faces == "pairs"
                    if total <= 16 and not (pairs and n > 1 and 11 <= total <= 13):
                        found.add(total)
        return found

    def sweeping_values(self, loose):
        """Values for which the loose cards fall apart into groups."""
        return {v for v in range(1, 17) if self._falls_apart(sorted(loose), v)}

    def _falls_apart(self, cards, value):
        if not cards:
            return True
        first, rest = cards[0], cards[1:]
        for n in range(len(rest) + 1):
            for more in itertools.combinations(rest, n):
                group = {first, *more}
                own_total = self._is_group(group, value)
                if own_total and self._falls_apart([c for c in rest if c not in more], value):
                    return True
        return False

    def _is_group(self, group, value):
        if len(group) > 1 and self.rules.values.faces != "numeric" and max(group) >= 40:
            return False
        if len(group) > 1 and self.rules.values.faces == "pairs" and 11 <= value <= 13:
            return False
        options = (table_values(self.rules, c) for c in group)
        return any(sum(values) == value for values in itertools.product(*options))

    def needed(self, among):
        sides = [set() for _ in range(max(self.side) + 1)]
        for p, pile in enumerate(self.captured):
            sides[self.side[p]] |= pile & among
        counts = [len(s) for s in sides]
        own = counts.pop(self.side[self.me])
        rest = len(among) - own - sum(counts)
        for k in range(rest + 1):
            if own + k > max(counts) + rest - k:
                return k
        return 0


def expected(seen, move):
    """Every feature of a group, from sets; what is not named is 0."""
    rules, score = seen.rules, seen.rules.score
    aces, spades = set(range(4)), {c for c in range(52) if c % 4 == 3}
    little, big = {7}, {c for c in range(52) if 9 == c // 4 and hand_values_big(rules, c)}
    kind, card = KINDS[move.kind], int(move.card)
    used = set(cards_of(move.loose))
    picked = [b for i, b in enumerate(seen.builds) if move.builds >> i & 1]
    left = [b for i, b in enumerate(seen.builds) if not move.builds >> i & 1]
    takes, makes = kind in ("capture", "clear"), kind in ("build", "multiple", "raise", "add")
    cards = {card} | used.union(*(b[0] for b in picked))
    loose = seen.loose - used | ({card} if kind == "trail" else set())
    kept = seen.hands[seen.me] - {card}
    values = [b[1] for b in left] + ([int(move.value)] if makes else [])
    takers = seen.takers(seen.group_values(loose) | set(values))
    gone = seen.chance(takers)
    sweeping = seen.sweeping_values(loose) if loose else set(range(1, 17))
    if values:
        sweeping &= set(values) if len(set(values)) == 1 else set()
    sweepers = seen.takers(sweeping) if loose or values else set()
    rank, points_of_sweep = card // 4 + 1, rules.sweep.points
    last_batch, f = seen.stock == 0, {}

    def each(name, condition, amount):
        f[name] = amount if condition else 0

    def risk(group):
        return score_of(group) * sum(
            seen.chance(seen.takers(seen.group_values(loose, c))) for c in loose & group
        )

    def score_of(group):
        return score.aces if group is aces else score.little if group is little else score.big

    f["sweep"] = points_of_sweep * sweeps(seen, rules, move, kind, loose, left, kept, last_batch)
    for name, group in (("big", big), ("little", little)):
        each(f"{name}_taken", takes, score_of(group) * len(cards & group))
        each(f"{name}_trailed", kind == "trail", score_of(group) * len({card} & group))
        f[f"{name}_risk"] = risk(group)
    each("aces_taken", takes, score.aces * len(cards & aces))
    each("ace_trailed", kind == "trail" and card in aces, score.aces)
    f["aces_risk"] = risk(aces)
    each("little_spent", card in little, 1)
    for name, among, worth in (
        ("spades", spades, score.spades),
        ("cards", set(range(52)), score.cards),
    ):
        n = seen.needed(among)
        got = len(cards & among) if takes else 0
        each(f"{name}_open", n, worth * got)
        each(f"{name}_needed", n, worth * min(got, n) / max(n, 1))
        each(f"{name}_left_open", n, worth * len(loose & among) * gone)
    each("spade_trailed_open", seen.needed(spades) and kind == "trail" and card in spades,
         score.spades)  # fmt: skip
    f["capture_risk"] = gone
    f["takers_left"] = len(takers & seen.unseen) / max(1, len(seen.unseen))
    each("single_left", len(loose) + len(values) == 1, 1)
    if kind == "trail":
        f["trail_risk"] = seen.chance(seen.takers(seen.group_values(loose, card)))
        alone = seen.takers(set(table_values(rules, card)))
        f["trail_safe"] = int(not alone & seen.unseen)
    each("hold_sweep", sweepers & kept, points_of_sweep * (1 - gone))
    ranks = [c // 4 for c in kept]
    f["hold_mates"] = sum(ranks.count(r) > 1 for r in ranks)
    f["hold_direct"] = sum(r in {c // 4 for c in loose} for r in ranks)
    each("capture_rank", takes, rank / 13)
    each("pair_taken", takes and any(c // 4 == rank - 1 for c in used), 1)
    each("sum_taken", takes and any(c // 4 != rank - 1 for c in used), 1)
    each("mate_spent", takes and rank - 1 in ranks, 1)
    if makes:
        taking = seen.takers({int(move.value)})
        f |= {
            "build_value": move.value / 16,
            "build_size": len(cards),
            "build_takers": len(taking & seen.unseen),
            "build_held": len(taking & kept),
            "build_locked": int(kind in ("multiple", "add")),
            "build_raised": int(kind == "raise"),
            "build_early": len(kept) / rules.deal.hand,
            "build_seats": sum(
                bool(h) and seen.side[p] != seen.side[seen.me] for p, h in enumerate(seen.hands)
            ),
            "build_last": int(seen.me == seen.dealer),
        }
    own_left = [b for b in left if b[2] == seen.me]
    each("own_taken", takes, sum(b[2] == seen.me for b in picked))
    each("others_taken", takes, sum(b[2] != seen.me for b in picked))
    f["others_left"] = len(left) - len(own_left)
    f["own_unguarded"] = sum(not seen.takers({b[1]}) & kept for b in own_left)
    f["own_left_risk"] = sum(seen.chance(seen.takers({b[1]})) for b in own_left)
    others = sum(len(h) for p, h in enumerate(seen.hands) if p != seen.me)
    each("late_hold", last_batch and takers & kept, score.last)
    each("late_capture", last_batch and takes, 1)
    each("late_cards", last_batch and takes, score.cards * len(cards))
    each("late_residue", last_batch and takes, len(loose) / (1 + others))
    each("late_build", last_batch and makes, 1)
    each("late_rank", last_batch and kind == "trail", rank / 13)
    each("early_capture", takes, seen.stock / 52)
    each("early_making", makes, seen.stock / 52)
    each("early_rank", kind == "trail", seen.stock / 52 * rank / 13)
    if rules.deal.teams == "pairs":
        partner = (seen.me + 2) % 4
        lying = loose.union(*(b[0] for b in left))
        points = score.aces * len(lying & aces) + score.big * len(lying & big)
        points += score.little * len(lying & little) + score.each_spade * len(lying & spades)
        f["partner_points"] = points * (1 - gone) * gone
        f["partner_sweep"] = points_of_sweep * (1 - gone) * seen.chance(sweepers)
        mates = sum(b[2] == partner for b in picked)
        each("partner_build_taken", takes, mates)
        each("partner_build_used", makes, mates)
        f["partner_build_left"] = sum(b[2] == partner for b in left)
    return f


def hand_values_big(rules, card):
    from kasino_sim.cards import parse_card

    return card == parse_card(rules.values.big)


def sweeps(seen, rules, move, kind, loose, left, kept, last_batch):
    """Whether a sweep that counts is made."""
    if kind not in ("capture", "clear") or loose or left:
        return 0
    if kind == "clear" and not rules.sweep.clear_card:
        return 0
    if rules.sweep.when == "last-hand-card" and kept:
        return 0
    others = any(h for p, h in enumerate(seen.hands) if p != seen.me)
    if rules.sweep.excluded == "final-play":
        return int(not last_batch or bool(kept) or others)
    return int(not (rules.sweep.excluded == "last-batch" and last_batch))


def random_tables(rng, rules, n):
    """Tables along deals that a player who builds a lot plays."""
    builder = player_with({"build": 3.0, "capture": rng.choice([-1.0, 1.0])})
    from test_players import choose

    tables = []
    while len(tables) < n:
        deck = list(range(52))
        rng.shuffle(deck)
        table = Table.of_deck(rules, rng.randrange(rules.n_players), deck)
        for _ in range(rng.randrange(47)):
            text = choose(table, builder) if rng.random() < 0.7 else rng.choice(table.legal_moves())
            table.play(text)
        if len(cards_of(table.state.loose)) <= 8:
            tables.append(table)
    return tables


def legal(table):
    """Every legal move of a position, as records, and the book."""
    space = _work_space()
    book = space.book_for(table.rules)
    n, total = legal_classes(table.state, table.record, book, space.scratch)
    moves = new_records(MOVE_TYPE, total)
    list_moves(table.record, book, space.scratch, n, moves, space.scratch.sets[:MAX_MOVES])
    return moves, book


@pytest.mark.parametrize(("preset", "players", "teams"), RULES)
def test_features_are_what_plain_sets_say(preset, players, teams):
    rng = random.Random(f"{preset} {players}")
    rules = load_ruleset(preset, [f"deal.players={players}", f"deal.teams={teams}"])
    records = pack_players([player_with({name: 1.0}) for name in FINER], rules)
    for table in random_tables(rng, rules, 50):
        seen, (moves, book) = Seen(table), legal(table)
        view = look(table.state, table.record)
        for move in rng.sample(list(moves), min(len(moves), 6)):
            wanted = expected(seen, move)
            for name, record in zip(FINER, records, strict=True):
                found = weigh(table.state, table.record, book, record, view, move)
                assert found == pytest.approx(wanted.get(name, 0), abs=1e-12), (name, move)


def test_every_feature_is_met():
    """A feature that is 0 everywhere would be right in the test above for no reason."""
    rng, met = random.Random(7), set()
    for preset, players, teams in (("svensk", 4, "pairs"), ("svensk", 2, "solo")):
        rules = load_ruleset(preset, [f"deal.players={players}", f"deal.teams={teams}"])
        for table in random_tables(rng, rules, 120):
            seen = Seen(table)
            for move in list(legal(table)[0])[:60]:
                met |= {name for name, value in expected(seen, move).items() if value}
    assert met == set(FINER)


def test_groups_cost_nothing_unless_used():
    rules = load_ruleset("svensk")
    bare, one, none, all_ = pack_players(
        [
            load_player("careful"),
            player_with({"points": 1.0, "spades_open": 0.1, "own_taken": 0.2}),
            player_with({"spades_open": 0.0}),
            player_with(dict.fromkeys(FEATURES, 1.0)),
        ],
        rules,
    )
    groups = list(FEATURE_GROUPS)
    assert bare.uses == none.uses == 0
    assert one.uses == 1 << groups.index("race") | 1 << groups.index("builds")
    assert all_.uses == (1 << len(groups)) - 1
    assert len(set(FEATURES)) == len(FEATURES) and np.isfinite(all_.weights).all()
