"""Runtime: decode → admit → run → encode, the same for every surface. The one broad `except` lives here."""
