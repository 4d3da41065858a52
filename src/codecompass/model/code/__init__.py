"""Values about source code: facts, kinds, traits, facets, risks."""
