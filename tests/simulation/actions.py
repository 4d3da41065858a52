"""Actions: everything that may happen, as rows. The weight says how often, beside the others."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.simulation import damage_acts, fileacts, gitacts, indexacts, serveracts
from tests.simulation.checks import CHECKS, Check
from tests.simulation.world import World


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that may happen. It tells what it did; None when there was nothing to do it to."""

    name: str
    weight: int
    run: Callable[[World, Random], str | None]


ACTIONS = (
    Action("add_file", 8, fileacts.add_file),
    Action("edit", 14, fileacts.edit),
    Action("edit_many", 4, fileacts.edit_many),
    Action("save_atomically", 6, fileacts.save_atomically),
    Action("save_same_size", 4, fileacts.save_same_size),
    Action("touch", 2, fileacts.touch),
    Action("rename", 4, fileacts.rename),
    Action("change_case", 3, fileacts.change_case),
    Action("rename_folder", 1, fileacts.rename_folder),
    Action("delete", 5, fileacts.delete),
    Action("copy", 3, fileacts.copy),
    Action("swap", 2, fileacts.swap),
    Action("make_binary", 1, fileacts.make_binary),
    Action("write_through_link", 2, fileacts.write_through_link),
    Action("write_through_old_link", 2, fileacts.write_through_old_link),
    Action("write_through_mapping", 2, fileacts.write_through_mapping),
    Action("hide_in_skipped", 1, fileacts.hide_in_skipped),
    Action("ignore", 2, fileacts.ignore),
    Action("commit", 6, gitacts.commit),
    Action("amend", 1, gitacts.amend),
    Action("make_branch", 3, gitacts.make_branch),
    Action("switch", 6, gitacts.switch),
    Action("switch_and_back", 1, gitacts.switch_and_back),
    Action("detach", 1, gitacts.detach),
    Action("stash", 2, gitacts.stash),
    Action("unstash", 2, gitacts.unstash),
    Action("reset", 1, gitacts.reset),
    Action("merge", 2, gitacts.merge),
    Action("rebase", 2, gitacts.rebase),
    Action("cherry_pick", 1, gitacts.cherry_pick),
    Action("tag", 2, gitacts.tag),
    Action("delete_ref", 1, gitacts.delete_ref),
    Action("pack", 1, gitacts.pack),
    Action("add_submodule", 1, gitacts.add_submodule),
    Action("drop_submodule", 1, gitacts.drop_submodule),
    Action("add_worktree", 1, gitacts.add_worktree),
    Action("edit_worktree", 2, gitacts.edit_worktree),
    Action("drop_worktree", 1, gitacts.drop_worktree),
    Action("sync", 24, indexacts.sync),
    Action("save_while_indexing", 2, indexacts.save_while_indexing),
    Action("sync_worktree", 3, indexacts.sync_worktree),
    Action("index_force", 2, indexacts.index_force),
    Action("index_ref", 6, indexacts.index_ref),
    Action("reopen", 4, indexacts.reopen),
    Action("compact", 1, indexacts.compact),
    Action("collect_garbage", 1, indexacts.collect_garbage),
    Action("clean", 1, indexacts.clean),
    Action("change_format", 1, indexacts.change_format),
    Action("crash", 5, indexacts.crash),
    Action("crash_between_stores", 2, indexacts.crash_between_stores),
    Action("stop_first_index", 2, indexacts.stop_first_index),
    Action("command", 2, indexacts.command),
    Action("short_of_room", 1, indexacts.short_of_room),
    Action("short_of_handles", 1, indexacts.short_of_handles),
    Action("damage", 3, damage_acts.damage),
    Action("damage_cache", 1, damage_acts.damage_cache),
    Action("damage_text", 1, damage_acts.damage_text),
    Action("damage_record", 2, damage_acts.damage_record),
    Action("fill_disk", 2, indexacts.fill_disk),
    Action("restart_without_room", 1, indexacts.restart_without_room),
    Action("empty_disk", 4, indexacts.empty_disk),
    Action("record", 1, indexacts.record),
    Action("take_finding", 1, indexacts.take_finding),
)
PROCESSES = (
    Action("start_server", 20, serveracts.start_server),
    Action("stop_server", 4, serveracts.stop_server),
    Action("kill_server", 4, serveracts.kill_server),
    Action("command_line", 12, serveracts.command_line),
    Action("kill_command", 8, serveracts.kill_command),
    Action("settle", 14, serveracts.settle),
)
"""What takes part only where real servers do."""


def _look(check: Check) -> Action:
    """Make an action that only looks; it is never drawn."""

    def run(world: World, rng: Random) -> str:
        check.run(world, rng)
        return "held"

    return Action(check.name, 0, run)


LOOKS = tuple(_look(check) for check in CHECKS)
BY_NAME = {action.name: action for action in (*ACTIONS, *PROCESSES, *LOOKS)}


def draw(rng: Random, *, servers: bool = False) -> Action:
    chosen = (*ACTIONS, *PROCESSES) if servers else ACTIONS
    return rng.choices(chosen, [action.weight for action in chosen])[0]
