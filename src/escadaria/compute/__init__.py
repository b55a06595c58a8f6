"""The laboratory: compiled kernels and what is built on them. It comes with the extra ``escadaria[lab]``.

Nothing here is imported until it is asked for; Numba belongs to this folder alone.
"""
