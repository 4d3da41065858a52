"""Files of a project directory: locks, bundles, atomic replacement, maintenance."""
