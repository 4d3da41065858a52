"""Triage: store scanner findings as records, search them, record decisions and build context packs."""
