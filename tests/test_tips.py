"""Tips as switches: what they prefer beside plain sets, what each form does, what is counted."""

import random

import numpy as np
import pytest
from test_features import KINDS, Seen, hand_values_big, legal, random_tables

from kasino_sim.catalog import load_ruleset
from kasino_sim.engine.features import weigh
from kasino_sim.engine.layout import FEATURES, TIP_FORMS, TIPS
from kasino_sim.engine.tips import preference
from kasino_sim.engine.view import look
from kasino_sim.errors import KasinoError
from kasino_sim.game import Table, cards_of
from kasino_sim.plan import Plan
from kasino_sim.players import load_player, pack_players
from kasino_sim.simulate import Engine, simulate
from kasino_sim.tally import Tally
from kasino_sim.tips import TIP_WORDS
from kasino_sim.transcript import play_out

SPADES = {c for c in range(52) if c % 4 == 3}
ACES = set(range(4))


def swept_by(seen, loose, values):
    """Unseen cards that take all of these loose cards and builds."""
    sweeping = seen.sweeping_values(loose) if loose else set(range(1, 17))
    if values:
        sweeping &= set(values) if len(set(values)) == 1 else set()
    return seen.takers(sweeping) & seen.unseen if loose or values else set()


def said(seen, move, captures):
    """What every tip says of a move, from sets."""
    kind, card = KINDS[move.kind], int(move.card)
    takes, trail = kind in ("capture", "clear"), kind == "trail"
    makes = not takes and not trail
    used = set(cards_of(move.loose))
    picked = [b for i, b in enumerate(seen.builds) if move.builds >> i & 1]
    left = [b for i, b in enumerate(seen.builds) if not move.builds >> i & 1]
    taken = {card} | used.union(*(b[0] for b in picked)) if takes else set()
    loose, kept = seen.loose - used | ({card} if trail else set()), seen.hands[seen.me] - {card}
    values = [b[1] for b in left] + ([int(move.value)] if makes else [])
    takers = seen.takers(seen.group_values(loose) | set(values))
    spades = len(taken & SPADES) - (trail and card in SPADES)
    threats = swept_by(seen, loose, values)
    last = seen.stock == 0
    return {
        "count_spades": spades,
        "count_spades_in_race": spades if seen.needed(SPADES) else 0,
        "save_big": -(hand_values_big(seen.rules, card) and len(taken) < 3),
        "keep_aces": -(trail and card in ACES),
        "take_ace_with_ace": takes and card in ACES and len(taken & ACES) > 1,
        "lay_ace_of_two": trail
        and card in ACES
        and bool(seen.takers(seen.group_values(loose, card)) & kept & ACES),
        "build_when_last": makes and seen.me == seen.dealer,
        "plan_for_last": last and (bool(takers & kept) if kept else takes),
        "trail_to_deny_sweep": -(takes and bool(threats)),
        "leave_no_sweep": -seen.chance(threats),
        "spade_before_plain": captures and bool(taken & SPADES),
        "no_early_builds": -(makes and len(kept) >= seen.rules.deal.hand / 2),
    }


def preferences(table, tip, captures):
    seen, moves = Seen(table), legal(table)[0]
    found = [float(said(seen, move, captures)[tip]) for move in moves]
    if tip == "trail_to_deny_sweep" and not any(
        KINDS[move.kind] == "trail" and not said(seen, move, 0)["leave_no_sweep"] for move in moves
    ):
        return [0.0] * len(found)
    return found


@pytest.mark.parametrize(
    ("preset", "players", "teams"),
    [("svensk", 2, "solo"), ("norsk", 3, "solo"), ("svensk", 4, "pairs"), ("casino", 2, "solo")],
)
def test_tips_prefer_what_plain_sets_say(preset, players, teams):
    rng = random.Random(f"{preset} {players}")
    rules, met = load_ruleset(preset, [f"deal.players={players}", f"deal.teams={teams}"]), set()
    for table in random_tables(rng, rules, 60):
        seen, (moves, book) = Seen(table), legal(table)
        view = look(table.state, table.record)
        for move in rng.sample(list(moves), min(len(moves), 8)):
            captures = rng.randrange(2)
            for name, wanted in said(seen, move, captures).items():
                tip = TIPS.index(name)
                found = preference(tip, table.state, table.record, book, view, move, captures)
                assert found == pytest.approx(float(wanted), abs=1e-12), (name, move)
                met |= {name} if wanted else set()
    assert players != 2 or preset != "svensk" or met == set(TIPS)


def allowed(values, says, form, strength, margin=0.6):
    """Numbers of the moves that may be chosen."""
    values, says = np.array(values), np.array(says) * strength
    if form == "soft":
        values = values + says
    pick = np.ones(len(values), bool)
    if form == "hard":
        pick = says >= says.max() - 1e-9
    if form == "tie-break":
        near = values >= values.max() - margin
        pick = near & (says >= says[near].max() - 1e-9)
    return set(np.flatnonzero(pick & (values >= values[pick].max() - 1e-9)))


@pytest.mark.parametrize("preset", ["svensk", "smygkasino"])
@pytest.mark.parametrize("form", TIP_FORMS)
@pytest.mark.parametrize("reverse", [False, True])
def test_each_form_does_what_it_says(preset, form, reverse):
    rng, changed = random.Random(f"{form} {reverse} {preset}"), 0
    rules, careful = load_ruleset(preset), load_player("careful")
    careful = careful.model_copy(update={"tip_margin": 0.6})
    aim = 1 if rules.match.winner == "highest" else -1
    for table in random_tables(rng, rules, 80):
        moves, book = legal(table)
        texts = [str(table.to_text(move)) for move in moves]
        bare = pack_players([careful], rules)[0]
        view = look(table.state, table.record)
        values = [aim * weigh(table.state, table.record, book, bare, view, move) for move in moves]
        tip = rng.choice([t for t in TIPS if t != "spade_before_plain"])
        strength = aim * (-0.3 if reverse else 0.3)
        says = preferences(table, tip, 0)
        player = pack_players([careful.with_tip(tip, form, 0.3, reverse)], rules)[0]
        may = {texts[m] for m in allowed(values, says, form, strength)}
        assert str(table.choose(player, 1, 2)) in may, (tip, table.position())
        changed += not may & {texts[m] for m in allowed(values, [0] * len(says), form, 1)}
    assert changed or (preset == "smygkasino" and not reverse)


def test_of_captures_the_one_with_a_spade():
    rules, careful = load_ruleset("svensk"), load_player("careful")
    player = careful.with_tip("spade_before_plain", "hard")
    records, rng = pack_players([careful, player], rules), random.Random(5)
    n = 0
    for table in random_tables(rng, rules, 300):
        before, after = (str(table.choose(record, 1, 3)) for record in records)
        spades = [m for m in map(str, table.legal_moves()) if " x " in m and "s" in m]
        if " x " not in before or "s" in before or not spades:
            assert after == before
        else:
            assert after in spades
            n += 1
    assert n > 2


@pytest.mark.parametrize("kind", ["random", "greedy"])
def test_players_who_weigh_nothing_follow_tips_too(kind):
    rules, rng = load_ruleset("svensk"), random.Random(kind)
    player, n = load_player(kind).with_tip("count_spades", "hard"), 0
    record = pack_players([player], rules)[0]
    for table in random_tables(rng, rules, 40):
        says = preferences(table, "count_spades", 0)
        best = {str(table.to_text(m)) for m, s in zip(legal(table)[0], says, strict=True)
                if s == max(says)}  # fmt: skip
        chosen = {str(table.choose(record, 1, deal)) for deal in range(30)}
        assert chosen <= best
        n += len(chosen) > 1
    assert n > 5 or kind == "greedy"


def test_without_tips_a_draw_is_the_same():
    """A tip that never applies changes nothing, with the same luck: not even among ties."""
    rules = load_ruleset("svensk-utan-bygg")
    for name in ("random", "greedy", "careful"):
        bare = load_player(name)
        idle = bare.with_tip("build_when_last", "hard")
        points = [
            Engine(Plan(rules, (p, load_player("greedy")), 3, 200)).sheets(0, 100)["points"]
            for p in (bare, idle)
        ]
        assert (points[0] == points[1]).all()


def test_what_tips_do_is_counted():
    rules, careful = load_ruleset("svensk"), load_player("careful")
    player = careful.with_tip("save_big", "hard").with_tip("count_spades", "soft", 0.2)
    plan = Plan(rules, (player, careful), 4, 16)
    tally = simulate(plan, threads=2, chunk=3)
    found = tally.counts["tips"]
    wanted = np.zeros_like(found)
    both, bare = pack_players([player, careful], rules)
    for deal in range(plan.blocks):
        for game in range(plan.games):
            table = Table.of_deal(plan, deal)
            for play in play_out(plan, deal, game).plays:
                seat = int(table.state.to_move)
                if plan.seatings[game][seat] == 0:
                    hand = len(cards_of(table.state.hands[seat]))
                    changed = str(table.choose(both, 4, deal)) != str(table.choose(bare, 4, deal))
                    for tip in ("save_big", "count_spades"):
                        says = preferences(table, tip, 0)
                        if len(set(says)) > 1:
                            wanted[0, TIPS.index(tip), seat, hand] += [1, changed]
                table.play(play.move)
    assert (found == wanted).all() and found[0, :, :, :, 1].any()
    assert found[0, TIPS.index("save_big")].sum() > 0
    again = Tally.from_frame(tally.frame(), plan)
    assert (again.counts["tips"] == wanted).all()


def test_every_tip_has_words_and_proxies():
    assert tuple(TIP_WORDS) == TIPS
    for words in TIP_WORDS.values():
        assert words.says and words.source and set(words.proxies) <= set(FEATURES)


def test_tips_in_a_file(tmp_path):
    path, head = tmp_path / "mine.toml", 'idea = "x"\nsource = "y"\nkind = "weigh"\n'
    path.write_text(
        head + 'tip_margin = 1\n[tips]\nsave_big = "hard"\n'
        'keep_aces = {form = "soft", strength = 2, reverse = true}\n'
    )
    record = pack_players([load_player(path)], load_ruleset("svensk"))[0]
    save, keep = TIPS.index("save_big"), TIPS.index("keep_aces")
    assert record.tips == 1 << save | 1 << keep and record.tip_margin == 1
    assert list(record.tip_forms[[save, keep]]) == [1, 2]
    assert list(record.tip_strengths[[save, keep]]) == [1, -2]
    path.write_text(
        head + '[tips]\nsave_bg = "hard"\nkeep_aces = "sort"\nplan_for_last = {strength = -1}\n'
        'count_spades = {form = "soft", strength = -1.0}\n'
    )
    with pytest.raises(KasinoError) as error:
        load_player(path)
    text = "\n".join(error.value.lines)
    assert "did you mean 'save_big'" in text and "hard, soft, tie-break" in text
    assert "form is missing" in text and "must be from 0 to" in text
    with pytest.raises(KasinoError, match="is not a tip"):
        load_player("careful").with_tip("nonsense", "hard")
