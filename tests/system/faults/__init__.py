"""When things break, no event that a client received is lost.

People play at several tables of a real server process while it is killed, stopped, starved of disk or
doubled, and while their own connections break. ``people`` plays and keeps everything it receives,
``check`` compares what was received with what is stored.

At night there are more faults, with another seed each time: ``ESCADARIA_SEED`` repeats a run's choices
(what was asked, when it was killed), though never its exact timing.
"""
