"""`@kernel`: the one place with Numba's flags, and the folder its compiled code is kept in.

Numba's disk cache misses an edit in a callee of another file and does not know about flags such
as bounds checks. So the cache folder carries a hash of all engine sources, of Numba's version and
of the flags: whatever changes, the next run starts in a fresh folder. The same hash is the engine's
fingerprint in manifests.
"""

import hashlib
import os
import shutil
import warnings
from pathlib import Path

import numba
import numpy as np
import platformdirs
from numba.core import config

KEPT_FOLDERS = 5

JIT_OFF = bool(config.DISABLE_JIT)
_INNER_LEVEL = type(config.OPT)(1)  # of optimization, where a kernel is compiled for another
if JIT_OFF:
    np.seterr(over="ignore")  # 64-bit generator arithmetic wraps on purpose


def engine_fingerprint() -> str:
    """Hash of every engine source (and of the card numbering), 16 hex digits."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in [here.parent / "cards.py", *sorted(here.glob("*.py"))]:
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_key() -> str:
    flags = f"{numba.__version__}|{config.BOUNDSCHECK}|{config.OPT}|{config.CPU_NAME}"
    return engine_fingerprint() + "-" + hashlib.sha256(flags.encode()).hexdigest()[:6]


def cache_folder() -> Path | None:
    """Folder of this engine's compiled code, or None where no place is writable."""
    homes = [os.environ.get("NUMBA_CACHE_DIR")]
    homes.append(os.path.join(platformdirs.user_cache_dir("kasino_sim"), "numba"))
    for home in filter(None, homes):
        folder = Path(home) / _cache_key()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError:
            continue
        _drop_old(folder)
        return folder
    return None


def _drop_old(folder: Path) -> None:
    """Remove all but the newest few folders of earlier engines."""
    ours = [p for p in folder.parent.iterdir() if p.is_dir() and len(p.name) == len(folder.name)]
    for old in sorted(ours, key=lambda p: p.stat().st_mtime, reverse=True)[KEPT_FOLDERS:]:
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)


_FOLDER = None if JIT_OFF else cache_folder()
if _FOLDER is None and not JIT_OFF:
    warnings.warn(
        "no writable cache folder: the engine is compiled anew in every run", stacklevel=2
    )


def kernel(function):
    """Compile `function` without the GIL.

    A name with a leading underscore is for other kernels only: no way in from Python is made, and
    nothing is kept, since the code of a kernel holds all that it calls. Others are kept in the
    engine's cache folder.
    """
    return _compile(function, False)


def inlined(function):
    """Compile a kernel that is put in place of every call to it."""
    return _compile(function, True)


def _compile(function, inline):
    """Compile a kernel.

    A constant in a call would compile the function anew for that very constant; so calls from
    other kernels are typed by the constants' types alone. What is compiled for another kernel is
    optimized with it and need be only a little by itself.
    """
    inner = function.__name__.startswith("_")
    before, config.CACHE_DIR = config.CACHE_DIR, str(_FOLDER or "")
    try:
        compiled = numba.njit(
            nogil=True,
            error_model="numpy",
            forceinline=inline,
            cache=_FOLDER is not None and not inner,
            no_cpython_wrapper=inner,
            no_cfunc_wrapper=inner,
        )(function)
    finally:
        config.CACHE_DIR = before
    if not JIT_OFF:
        by_literal = compiled.get_call_template

        def by_type(args, kws):
            kws = {name: numba.types.unliteral(kind) for name, kind in kws.items()}
            before, config.OPT = config.OPT, _INNER_LEVEL
            try:
                return by_literal(tuple(map(numba.types.unliteral, args)), kws)
            finally:
                config.OPT = before

        compiled.get_call_template = by_type
    return compiled


def is_compiled() -> bool:
    """Whether an earlier run left compiled code for this very engine."""
    return _FOLDER is not None and any(_FOLDER.rglob("*.nbc"))
