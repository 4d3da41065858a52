"""Requirements of vectors and models: id → (document, rule), part of `tests/requirements.py`."""

EMBEDDING = {
    "VECTOR-AFTER": ("issue 7", "vectors are made after the view is published: search by words never waits for them"),
    "VECTOR-ONCE": ("issue 7", "only new content is embedded; the result equals that of embedding everything"),
    "VECTOR-EXACT": ("issue 7", "the nearest chunks are those of comparing every vector; filters hold"),
    "VECTOR-FILES": ("issue 7", "a file's numbers are those of its chunks, its outline and its path"),
    "VECTOR-SKETCH": ("issue 7", "beyond a size a sketch chooses what is compared, and hardly misses a near chunk"),
    "VECTOR-COVERAGE": ("issue 7", "status says off, building or on, with the files covered and the reason"),
    "VECTOR-KILL": ("design §5", "killed at any instant, nothing is lost or wrong, and the next run goes on"),
    "VECTOR-DAMAGE": ("design §2", "a flipped bit in stored vectors is noticed; they are made again"),
    "VECTOR-MODEL": ("issue 7", "vectors of another model or index are never used"),
    "VECTOR-SHARED": ("design §1", "several processes share one set of vectors; one makes them"),
    "VECTOR-SWEEP": ("design §2", "vectors that no view holds are forgotten"),
    "VECTOR-HEAL": ("contract §9", "a server finishes vectors that an ended job left unfinished"),
    "VECTOR-PORTABLE": ("issue 6", "the portable file carries the vectors, readable with and without the extension"),
    "MODEL-CHOICE": ("issue 7", "bundled, none, a directory or a service; what cannot be had is said with the way out"),
    "MODEL-LOCAL": ("issue 7", "model2vec and ONNX directories are used as they are; damaged ones are refused"),
    "MODEL-NETWORK": ("issue 7", "code leaves the machine only when two settings of the user allow it"),
    "MODEL-SERVICE": ("issue 7", "a service that fails gives words and a flag, never made-up vectors"),
}
