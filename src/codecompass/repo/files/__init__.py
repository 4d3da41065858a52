"""Files: path safety, directory walk, ignore rules and change monitoring."""
