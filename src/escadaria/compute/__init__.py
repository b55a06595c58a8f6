"""What all compiled games share. It comes with the extra ``escadaria[lab]``.

Nothing here is imported until it is asked for. Numba is used here and in the games' ``compiled`` folders.
"""

from importlib.util import find_spec

if find_spec("numba") is None:
    raise ModuleNotFoundError("compiled games need numba: install escadaria[lab]", name="numba")
