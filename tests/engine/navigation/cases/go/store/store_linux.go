package store

func sync_() {}
