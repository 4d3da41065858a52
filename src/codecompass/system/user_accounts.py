"""User accounts: facts about the users and groups of the system; None if they are unknown."""

import os

from codecompass.system.optional_module import import_optional

_PWD = import_optional("pwd")
_GRP = import_optional("grp")


def is_superuser() -> bool:
    """Whether this process runs as root; a system without user numbers has no root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def is_private_group(group_id: int) -> bool | None:
    """Whether we are the only member of a group: many systems create a group with the name of each user."""
    if _PWD is None or _GRP is None:
        return None
    try:
        user, group = _PWD.getpwuid(os.geteuid()), _GRP.getgrgid(group_id)
    except KeyError:
        return None
    return bool(
        group.gr_gid == user.pw_gid and group.gr_name == user.pw_name and not set(group.gr_mem) - {user.pw_name}
    )
