package store

func sync_() {}

func own() { sync_() }
//           ^ -> sync_
