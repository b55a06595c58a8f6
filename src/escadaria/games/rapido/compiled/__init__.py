"""Rapido compiled with Numba (extra ``escadaria[lab]``)."""
