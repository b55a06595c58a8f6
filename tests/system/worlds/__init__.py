"""Simulated worlds: several workers with the real hub, rooms and peers, in one process and in virtual time.

``loop`` is an event loop whose clock jumps to the next timer. ``store`` is the real one on a database in
memory, ``network`` imitates the bus, both with faults. ``people`` are clients that play, repeat themselves
and vanish. ``world`` runs all of that for one seed and checks what must always hold. A seed determines
everything, so that a failure can be repeated: ``ESCADARIA_SEED=17 python3 run.py test tests/system/worlds``.
"""
