"""Download service: downloads models, word lists and extensions, and lists what is installed."""

from functools import cached_property
from typing import TYPE_CHECKING

from codecompass.engine.maintenance.downloads.installed_models import cards
from codecompass.engine.options import EngineOptions
from codecompass.engine.workspace.project_registry import Projects
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import (
    ExtensionReport,
    ProbeOrder,
    Supplies,
    SupplyOrder,
    SupplyReport,
)

if TYPE_CHECKING:  # few processes download, and the network code is slow to load
    from codecompass.engine.maintenance.downloads.download_orders import SupplyRoom

MODELS = "models"


class SupplyDesk:
    """Loads the network code when a download is first requested."""

    def __init__(self, projects: Projects, options: EngineOptions) -> None:
        self._projects = projects
        self._options = options

    @cached_property
    def _room(self) -> "SupplyRoom":
        from codecompass.engine.maintenance.downloads import download_orders  # noqa: PLC0415 - loads the network code

        return download_orders.SupplyRoom(self._projects, self._options)

    def download_models(self, workspace: str | None, order: SupplyOrder, call: Call) -> SupplyReport:
        """Install embedding models: from an archive, or file by file from a directory URL."""
        return self._room.download_models(workspace, order, call)

    def download_dictionaries(self, workspace: str | None, order: SupplyOrder, call: Call) -> SupplyReport:
        """Install word lists; an index uses them after a full reindex."""
        return self._room.download_dictionaries(workspace, order, call)

    def download_extensions(self, workspace: str | None, order: SupplyOrder, call: Call) -> SupplyReport:
        """Install an SQLite extension; nothing is downloaded if its package is installed."""
        return self._room.download_extensions(workspace, order, call)

    def verify_extension(self, workspace: str | None, order: ProbeOrder) -> ExtensionReport:
        """Check whether the vector extension exists and works; never raises because it does not."""
        return self._room.verify_extension(workspace, order)

    def supplies(self, workspace: str | None) -> Supplies:
        """Return the installed models and word lists, and the words the index was built with."""
        with self._projects.lease():
            project = self._projects.find(workspace)
            directory = self._projects.data_directory / MODELS
            view = project.view_name(project.effective_ref(None))
            words = project.words.state(project.store.records, view, indexed=project.is_indexed)
            return Supplies(str(directory), words, cards(directory))
