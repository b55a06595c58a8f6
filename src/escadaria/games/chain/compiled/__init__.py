"""Chain compiled with Numba (extra ``escadaria[lab]``)."""
