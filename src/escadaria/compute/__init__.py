"""What all compiled games share. It comes with the extra ``escadaria[lab]``.

Nothing here is imported before it is used. Numba is used here and in the games' ``compiled`` folders.
"""

from importlib.util import find_spec
from typing import Any

import numpy as np

if find_spec("numba") is None:
    raise ModuleNotFoundError("compiled games need numba: install escadaria[lab]", name="numba")


def constants(number: int) -> Any:
    """NumPy's numbers from 0 on: Numba compiles a function once for all of them, but for each of Python's."""
    return np.arange(number)


ZERO, ONE = constants(2)
NONE = -ONE
