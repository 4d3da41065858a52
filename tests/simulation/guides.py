"""Guides: how a run is led to a fault. Drawn steps seldom come together in the order that a fault needs, or only after
thousands; a guided run begins with steps that do, in surroundings in which the fault can be seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.simulation.run_limits import STORE, Surroundings

SWEEP_AT_ONCE = {f"{STORE}.{writer}:GARBAGE_FLOOR": 4 for writer in ("catalog.index_writer", "vectors.vector_writer")}
SMALL_BATCHES = {f"{STORE}.catalog.index_writer:BATCH_BYTES": 300, f"{STORE}.catalog.index_writer:FLUSH_ROWS": 5}
SMALL_PARTS = {"codecompass.engine.index.stages:MIN_FILES": 2, "codecompass.engine.index.stages:FIRST_SHARE": 0.1}
LARGE_TREE = {
    "codecompass.repo.files.tree_monitor:SMALL_TREE_FILES": -1,
    "codecompass.repo.files.tree_monitor:FULL_CHECK_INTERVAL_S": 1e9,
}
"""Only what a watch reports is looked at, as in a tree of thousands of files."""
EMBEDDED, WATCHED, SMALL_DISK = {"vectors": True}, {"watch": True}, {"small_disk": True}


@dataclass(frozen=True, slots=True)
class Guide:
    """The first steps of a run, with spaces between them, and what its surroundings must be."""

    first: str = ""
    around: Mapping[str, Any] = field(default_factory=dict)
    knobs: Mapping[str, float] = field(default_factory=dict)

    def surround(self, drawn: Surroundings) -> Surroundings:
        """Return the surroundings of a seed, changed as far as it must be."""
        return replace(drawn, knobs={**drawn.knobs, **self.knobs}, **self.around)


GUIDES: Mapping[str, Guide] = {
    "quiet_writes": Guide(
        6 * "sync write_through_link judge_freshness write_through_mapping judge_freshness ", around=WATCHED
    ),
    "ignored_read": Guide(8 * "ignore find_lines find_lines find_lines sync "),
    "errors_are_damage": Guide(
        6 * "edit_many sync edit_many fill_disk sync find_word empty_disk short_of_handles list_refs sync ",
        around=SMALL_DISK,
    ),
    "text_keeps": Guide(6 * "edit_many sync compare_stores ", knobs=SWEEP_AT_ONCE),
    "text_of_the_dead": Guide(6 * "edit_many crash_between_stores edit sync compare_stores ", knobs=SMALL_BATCHES),
    "numbers_twice": Guide(
        "make_branch index_ref " + 5 * "edit_many edit_many sync compare_stores stash sync edit sync compare_stores ",
        knobs=SWEEP_AT_ONCE,
    ),
    "gone_stay": Guide(4 * "sync delete sync judge_freshness "),
    "rows_before_text": Guide(8 * "edit_many crash sync compare_stores ", knobs=SMALL_BATCHES),
    "vectors_stay": Guide(6 * "edit_many sync compare_stores ", around=EMBEDDED, knobs=SWEEP_AT_ONCE),
    "vectors_missing": Guide(6 * "copy sync compare_stores ", around=EMBEDDED),
    "old_caches": Guide(6 * "edit_many sync find_word find_name show_outline "),
    "times_alone": Guide(6 * "save_while_indexing reopen reopen judge_freshness judge_freshness find_word "),
    "rules_unseen": Guide(
        6 * f"add_file add_file add_file ignore ignore sync ignore ignore sync {3 * 'judge_freshness '}",
        around=WATCHED,
        knobs=LARGE_TREE,
    ),
    "owned_swept": Guide(3 * "record take_finding clean keep_owned "),
    "any_format": Guide(3 * "change_format find_word find_name sync "),
    "one_view": Guide(4 * "make_branch edit_many commit index_ref find_word list_refs "),
    "refs_lost": Guide(5 * "make_branch edit_many commit index_ref damage_text sync list_refs "),
    "own_vectors_only": Guide(
        5 * "make_branch index_ref edit_many damage damage sync compare_stores index_force ", around=EMBEDDED
    ),
    "records_unproved": Guide(8 * "take_finding damage_record keep_owned damage_record "),
    "shadow_unproved": Guide(6 * "make_branch edit_many commit damage damage index_ref find_lines "),
    "caches_stay_damaged": Guide(10 * "ask_anything damage_cache "),
    "readers_need_room": Guide(4 * "edit sync restart_without_room judge_freshness empty_disk ", around=SMALL_DISK),
    "logs_grow": Guide(20 * "edit_many index_force compare_stores ", around=EMBEDDED),
    "old_deletions_needed": Guide(
        "add_worktree sync_worktree "
        + 6 * "edit_many sync edit_many sync edit_many crash_between_stores sync find_word find_name find_word ",
        knobs=SWEEP_AT_ONCE,
    ),
    "part_is_whole": Guide(5 * "stop_first_index find_word judge_freshness find_name sync ", knobs=SMALL_PARTS),
}
"""By the name of the fault; those that are not here are found by whatever is drawn."""
NO_GUIDE = Guide()
