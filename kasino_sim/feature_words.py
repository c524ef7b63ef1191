"""What each feature of a move is, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FEATURE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        # of every player
        "points": "points of the cards taken and of a sweep",
        "spades": "spades taken, times what most spades are worth",
        "cards": "cards taken, times what most cards are worth",
        "capture": "1 where something is taken",
        "last_capture": "what the last capture is worth, less where others may still take",
        "sweep_risk": "what a sweep is worth, times the chance that the next player makes one",
        "points_risk": "point cards left for the next player, times the chance that they go",
        "spades_risk": "spades left for the next player, the same, times their worth",
        "cards_risk": "cards left for the next player, the same, times their worth",
        "hold_takers": "cards kept that take something of what is left",
        "hold_points": "point cards left that a card kept takes, times the chance that they stay",
        "hold_pair": "1 where cards of one rank are kept together",
        "build": "1 where a build is made, raised or added to",
        "build_points": "point cards in that build, times the chance that no opponent takes it",
        "build_spades": "spades in that build, the same, times their worth",
        "build_cards": "cards in that build, the same, times their worth",
        "build_risk": "chance that an opponent takes that build",
        "build_taken_over": "1 where that build was somebody else's",
        "build_left": "own builds that the move leaves alone",
        "trail": "1 where a card is only laid",
        "trail_rank": "number of the card laid, an ace 1/13, a king 1",
        "trail_spade": "1 where it is a spade, times what most spades are worth",
        "trail_points": "points of the card laid",
        "trail_matched": "cards of its rank that are kept",
        "trail_known": "cards of its rank that are known to be out of the others' hands",
        "table_empty": "1 where nothing is left for the next player",
        "big_spent": "1 where the big casino is played",
        "ace_spent": "1 where an ace is played",
        # kinds
        "sweep": "what a sweep made now is worth",
        "big_taken": "worth of the big casino where it is taken",
        "little_taken": "worth of the little casino where it is taken",
        "aces_taken": "worth of the aces taken",
        "big_trailed": "worth of the big casino where it is laid",
        "little_trailed": "worth of the little casino where it is laid",
        "ace_trailed": "worth of an ace that is laid",
        "big_risk": "worth of a big casino left loose, times the chance that it goes",
        "little_risk": "the same of the little casino",
        "aces_risk": "the same of aces",
        "little_spent": "1 where the little casino is played",
        # race
        "spades_open": "spades taken while it is open who gets most, times what most are worth",
        "spades_needed": "share of the spades still needed for most that is taken, times the same",
        "spade_trailed_open": "1 where a spade is laid while most is open, times the same",
        "spades_left_open": "spades left then, times the chance of any capture and the same",
        "cards_open": "cards taken while it is open who gets most, times what most are worth",
        "cards_needed": "share of the cards still needed for most that is taken, times the same",
        "cards_left_open": "cards left then, times the chance of any capture and the same",
        # exposure
        "capture_risk": "chance that the next player can take anything",
        "takers_left": "share of the unseen cards that take anything",
        "single_left": "1 where one card or build is all that is left",
        "trail_risk": "chance that the next player can take the card laid",
        "trail_safe": "1 where no unseen card takes the card laid by itself",
        "hold_sweep": "worth of a sweep by a card kept, times the chance that nothing goes before",
        # hand
        "hold_mates": "cards kept that have another of their rank beside them",
        "hold_direct": "cards kept whose rank lies loose",
        "capture_rank": "number of a card that captures, an ace 1/13, a king 1",
        "pair_taken": "1 where a loose card of the rank of the card played is taken",
        "sum_taken": "1 where loose cards of other ranks are taken",
        "mate_spent": "1 where another card of the rank of one that captures is kept",
        # builds
        "build_value": "value of the build that is made, 16 being 1",
        "build_size": "cards in that build",
        "build_takers": "unseen cards that take it",
        "build_held": "cards kept that take it",
        "build_locked": "1 where it is a multiple one",
        "build_raised": "1 where it was raised",
        "build_early": "cards kept at a build, a whole hand being 1",
        "build_seats": "opponents with cards who play before the next turn, at a build",
        "build_last": "1 where the dealer builds, who plays last in every round",
        "own_taken": "own builds that are captured",
        "others_taken": "others' builds that are captured",
        "others_left": "others' builds that the move leaves alone",
        "own_unguarded": "own builds left that no card kept takes",
        "own_left_risk": "own builds left, each times the chance that the next player takes it",
        # late
        "late_capture": "1 at a capture in the last batch",
        "late_cards": "cards taken in the last batch, times what most cards are worth",
        "late_rank": "number of the card laid, in the last batch",
        "late_build": "1 at a build in the last batch",
        "late_hold": "worth of the last capture, in the last batch, where a card kept takes",
        "late_residue": "cards that a capture in the last batch leaves, less where others still do",
        "early_capture": "share of the deck that is in the stock, at a capture",
        "early_rank": "the same times the number of the card laid",
        "early_making": "the same at a build",
        # team
        "partner_points": "point cards left, times the chance that the partner takes, not the next",
        "partner_sweep": "worth of a sweep, times the chance that the partner makes it",
        "partner_build_taken": "partner's builds that are captured",
        "partner_build_used": "partner's builds that are raised or added to",
        "partner_build_left": "partner's builds that the move leaves alone",
    }
)
"""What a player may weigh about a move, in words: one line for each of `layout.FEATURES`.

Points are points a deal, as the player believes the items to be worth; chances are from what the
player can see.
"""
