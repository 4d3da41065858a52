"""Skip list: directories and binary file endings that a listing leaves out without any ignore rule."""

from codecompass.repo.files.secret_names import is_secret

SKIPPED_DIRECTORIES = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", "bower_components", "__pycache__", ".tox", ".nox", ".venv", "venv",
        ".mypy_cache", ".ruff_cache", ".pytest_cache", ".gradle", ".idea", ".next", ".nuxt", ".terraform",
    }
)  # fmt: skip
"""Caches and third-party code. `build`, `dist` and `vendor` may hold sources: the ignore files decide."""

# No .pdf, .docx or .svg here: their text can be indexed.
BINARY_ENDINGS = frozenset(
    """
    png jpg jpeg gif bmp ico icns webp avif heic tif tiff psd ai eps xcf raw cr2 blend
    mp3 mp4 m4a m4v wav ogg oga ogv flac aac avi mov mkv webm wmv mid midi
    zip gz tgz bz2 tbz xz txz zst lz4 7z rar tar jar war ear apk aab ipa dmg iso deb rpm msi cab whl egg nupkg gem crate
    exe dll so dylib a o obj lib pdb class pyc pyo pyd elc beam wasm node bin dat img rlib rmeta lo la ko
    ttf otf woff woff2 eot
    db sqlite sqlite3 db3 mdb accdb frm ibd ldb parquet arrow feather orc avro npy npz pkl pickle h5 hdf5 onnx pt pth
    safetensors gguf tflite pb mlmodel ckpt joblib rds rdata mat nc
    mo gmo swf fla xls xlsx xlsb ppt pptx doc odt ods odp
    mpq unitypackage fbx glb stl 3ds dwg ply
    """.split()
)
"""Endings of files that are never text. A text file with such an ending is only missing from the index."""


def has_binary_name(name: str) -> bool:
    """Whether a file's ending marks it as binary."""
    return name.rpartition(".")[2].lower() in BINARY_ENDINGS and "." in name


def find_skip_reason(path: str) -> str:
    """Return why a path is left out: secret, binary_name or excluded; empty when it is not."""
    parts = path.split("/")
    if not SKIPPED_DIRECTORIES.isdisjoint(parts[:-1]):
        return "excluded"
    if is_secret(path):
        return "secret"
    return "binary_name" if has_binary_name(parts[-1]) else ""
