"""Git: refs, objects, trees and logs, read without any configuration of the repository."""
