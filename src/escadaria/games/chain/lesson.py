"""A guided first game of Chain."""

from __future__ import annotations

from escadaria.teaching.lessons import scene

SCENES = (
    scene(
        "chain",
        "begin",
        "Ana Bento",
        "turn=0 phase=keep hands=2,2 pool=12 discs=0+0,0+0 stacks=- chain=-/0/open loose=-",
        ("keep", "0 keep 2 [4] [6]", "", "one: keep 1"),
        ("link", "0 link 6", "", ""),
        ("down", "0 down [5]", "", "stop: move 0; up: up"),
        ("more", "0 down [3]", "", "stop: move 0"),
        ("move", "0 move 0", "", "down: down"),
        ("fail", "0 keep 3 [6] [2] [5]", "1 keep 2 [2] [5]; 1 link 5; 1 up [3]",
         "few: keep 1, keep 2; all: keep 4"),
        ("order", "0 link 5", "", ""),
        ("last", "0 link 2", "", ""),
        ("arrow", "0 move 4", "", "start: move 0; down: down"),
        ("landed", "", "", ""),
    ),
    scene(
        "chain",
        "cover",
        "Ana Bento",
        "turn=0 phase=decide hands=4,3 pool=9 discs=12+20,3+16 stacks=3:1,12:0,16:1,20:0 "
        "chain=2345/5/up loose=-",
        ("choose", "0 move 12; 0 move 20", "", "up: up; cover: move 12; arrow: move 20"),
    ),
    scene(
        "chain",
        "centre",
        "Ana Bento",
        "turn=0 phase=decide hands=3,3 pool=10 discs=30+34,20+33 stacks=20:1,30:0,33:1 "
        "chain=236/6/open loose=-",
        ("down", "0 down [4]", "", "stop: move 30; up: up"),
        ("move", "0 move 30", "", "down: down"),
        ("won", "", "1 keep 3 [2] [3] [5]; 1 link 3; 1 link 5; 1 move 33", ""),
    ),
)  # fmt: skip
