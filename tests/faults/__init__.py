"""What is lost when things break: nothing that anybody was told of.

People play at several tables of a real server process while it is killed, stopped, starved of disk or
doubled, and while their own connections break. ``people`` plays and writes down all that it is told,
``serving`` runs the server, ``judge`` compares what was told with what lies on disk.

``ESCADARIA_FAULTS=50`` kills the server fifty times instead of six; ``ESCADARIA_SEED`` repeats a run's
choices (what was asked, when it was killed), though never its exact timing.
"""
