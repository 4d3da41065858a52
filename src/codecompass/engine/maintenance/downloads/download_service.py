"""Supplies: the part of the façade that fetches models, word lists and extensions, and tells what is there."""

from functools import cached_property
from importlib import import_module
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

if TYPE_CHECKING:  # few processes ever fetch, and what it takes is slow to load
    from codecompass.engine.maintenance.downloads.download_orders import SupplyRoom

MODELS = "models"


class SupplyDesk:
    """The door to the room behind, which is loaded when somebody first asks for something in it."""

    def __init__(self, projects: Projects, options: EngineOptions) -> None:
        self._projects = projects
        self._options = options

    @cached_property
    def _room(self) -> "SupplyRoom":
        made: SupplyRoom = import_module("codecompass.engine.maintenance.downloads.download_orders").SupplyRoom(
            self._projects, self._options
        )
        return made

    def download_models(self, workspace: str | None, order: SupplyOrder, call: Call) -> SupplyReport:
        """Put embedding models on the shelf: from an archive, or file by file from a directory."""
        return self._room.download_models(workspace, order, call)

    def download_dictionaries(self, workspace: str | None, order: SupplyOrder, call: Call) -> SupplyReport:
        """Put word lists on the shelf; indexes take them up when they are made anew."""
        return self._room.download_dictionaries(workspace, order, call)

    def download_extensions(self, workspace: str | None, order: SupplyOrder, call: Call) -> SupplyReport:
        """Put an extension of SQLite on the shelf; where one came with its package, nothing needs to be fetched."""
        return self._room.download_extensions(workspace, order, call)

    def verify_extension(self, workspace: str | None, order: ProbeOrder) -> ExtensionReport:
        """Whether the vector extension is there and works; never an error because it is not."""
        return self._room.verify_extension(workspace, order)

    def supplies(self, workspace: str | None) -> Supplies:
        """Models and word lists on the shelves, and what the index was made with."""
        with self._projects.lease():
            project = self._projects.find(workspace)
            shelf = self._projects.data_directory / MODELS
            view = project.view_name(project.effective_ref(None))
            words = project.words.state(project.store.records, view, indexed=project.is_indexed)
            return Supplies(str(shelf), words, cards(shelf))
