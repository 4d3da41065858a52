"""Quick sync: bring the live view up to a few changed files in this process, within a deadline, before an answer.

It is not a job: it has no row in the table of jobs, waits for no lock, and starts no parse workers. What needs more
than that, such as changed risk rules or another writer, is left to the next job.
"""

import os

from codecompass.engine.index.inline_parser import InlineParser
from codecompass.engine.index.linter import Linter
from codecompass.engine.index.sync import SyncContext, sync_view
from codecompass.engine.index.vector_build import embed_view
from codecompass.engine.jobs.job_runner import describe_fact_settings
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.repo.process.child_process import read_start_time
from codecompass.repo.workspace import LIVE
from codecompass.store.ports import Owner


def sync_quickly(project: Project, call: Call) -> bool:
    """Sync the live view until the call's deadline; return whether it was synced. The call never fails."""
    try:
        if not _sync(project, call):
            return False
    except (Failure, OSError, RecursionError):
        # The question is answered from the index as it is, and says that it is stale.
        return False
    _embed(project, call)
    return True


def _sync(project: Project, call: Call) -> bool:
    options, records = project.options, project.store.records
    source = project.open_source(LIVE, call.check)
    words = project.dictionary_versions.choose(records, source.view, lambda: False)
    rules_key, rules = describe_fact_settings(options, source.view)
    if words.new_epoch or words.rescan or (records.get(rules_key) or "") != rules:
        return False  # every file must be read again
    owner = Owner(os.getpid(), read_start_time(os.getpid()), "")
    writer = project.store.open_writer(owner)
    linter = Linter(project.directory, options.lint_rules, call.check)
    timed_out = False
    try:
        writer.repair()
        parser = InlineParser(rules=options.risk_rules, dictionary=words.path, masked=options.mask_secrets)
        context = SyncContext(writer, source, project.registry, parser, linter, call)
        sync_view(context, force=False)
        writer.vacuum_text()
        return True
    except Failure as failure:
        timed_out = failure.code == "TOOL_TIMEOUT"
        raise
    finally:
        linter.close()
        writer.close(keep=timed_out)  # what is parsed already saves the next attempt the time


def _embed(project: Project, call: Call) -> None:
    """Build the vectors of what changed, as far as time allows; words answer without them."""
    model = project.embedder.get_model() if project.options.build_vectors and project.embedder.enabled else None
    try:
        if model is not None:
            embed_view(project, LIVE, model, call)
    except (Failure, OSError):
        return
