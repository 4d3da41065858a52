"""Simulation: a developer's months in seconds, with a slow and simple model beside them that knows the truth."""
