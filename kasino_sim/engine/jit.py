"""`@kernel`: the one place with Numba's flags, and the folder its compiled code is kept in.

Numba's disk cache misses an edit in a callee of another file and does not know about flags such
as bounds checks. So the cache folder carries a hash of all engine sources, of Numba's version and
of the flags: whatever changes, the next run starts in a fresh folder. The same hash is the engine's
fingerprint in manifests.
"""

import gc
import hashlib
import os
import shutil
import warnings
from functools import cache, partial
from pathlib import Path

import numba
import numpy as np
import platformdirs
from numba.core import config
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target
from numba.np import linalg

KEPT_FOLDERS = 5

JIT_OFF = bool(config.DISABLE_JIT)
_FLAGS = {"nogil": True, "error_model": "numpy"}
if JIT_OFF:
    np.seterr(over="ignore")  # 64-bit generator arithmetic wraps on purpose


def _load_without_blas():
    """Load what else Numba needs, but for SciPy's linear algebra, which no kernel uses.

    Numba loads that to learn whether it is there, which is a sixth of the time of a small question.
    Kernels of others that need it load it when they are compiled.
    """
    before, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        from numba.np import arraymath

        arraymath.ensure_blas = before
    finally:
        linalg.ensure_blas = before


if not JIT_OFF:
    _load_without_blas()


@cache
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
    """Compile `function` without the GIL, when it is first called.

    What Python calls is compiled into one piece with all that it calls, and kept in the engine's
    cache folder; what kernels call is compiled to be linked into them.
    """
    return _compile(function, False)


def inlined(function):
    """Compile a kernel that is put in place of every call to it."""
    return _compile(function, True)


def _compile(function, inline):
    before, config.CACHE_DIR = config.CACHE_DIR, str(_FOLDER or "")
    try:
        compiled = numba.njit(cache=_FOLDER is not None, **_FLAGS)(function)
    finally:
        config.CACHE_DIR = before
    if not JIT_OFF:
        part = cache(partial(_part_of, function, inline))  # made where something is compiled
        compiled.get_call_template = lambda args, kws: _template_of(part(), args, kws)
        compiled.get_overload = lambda signature: part().get_overload(signature)
        compiled.compile = _uncollected(compiled.compile)
    return compiled


def _part_of(function, inline):
    """Return a kernel as others link it in."""
    flags = {"forceinline": inline, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return numba.njit(**flags, **_FLAGS)(function)


def _uncollected(compile_):
    """Compile without the garbage collector, which finds nothing and takes its time."""

    def compile_whole(signature):
        collects = gc.isenabled()
        gc.disable()
        try:
            return compile_(signature)
        finally:
            if collects:
                gc.enable()

    return compile_whole


def _template_of(part, args, kws):
    """Compile a kernel for another one.

    A constant in a call would compile the function anew for that very constant; so calls from
    other kernels are typed by the constants' types alone.
    """
    args = tuple(map(numba.types.unliteral, args))
    kws = {name: numba.types.unliteral(kind) for name, kind in kws.items()}
    codegen = cpu_target.target_context.codegen()
    before, codegen._library_class = codegen._library_class, _Part
    try:
        return part.get_call_template(args, kws)
    finally:
        codegen._library_class = before


class _Part(JITCodeLibrary):
    """Code that is linked into other code, which is then optimized and made runnable as a whole.

    Numba would do both for every function too, which takes longer than all the rest.
    """

    def finalize(self):
        """Link in what is called, once each."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name):
        """Return no address: there is nothing to run."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        """What asks for this wants `set_env`."""
        return self

    def set_env(self, name, env):
        """Do nothing: a part has no environment of its own."""


def is_compiled(kernel: str = "") -> bool:
    """Whether an earlier run left compiled code for this very engine, or for one kernel of it."""
    return _FOLDER is not None and any(_FOLDER.rglob(f"*{kernel}-*.nbc"))
