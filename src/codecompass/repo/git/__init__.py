"""Git: refs, objects, trees and logs, read without any configuration of the repository."""

__all__ = ("commit_log", "git_log", "index_file", "object_reader", "ref_name", "repository")
