"""Results: ranked candidates as hits, code context, explanations and source excerpts."""
