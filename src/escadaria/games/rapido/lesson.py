"""A guided first game of Rapido."""

from __future__ import annotations

from escadaria.teaching.lessons import scene

SCENES = (
    scene(
        "rapido",
        "begin",
        "Ana Bento Clara",
        "turn=0 phase=first value=0 steps=0,0,0 tower=-",
        ("roll", "0 roll [26]", "", ""),
        (
            "place",
            "0 place 4",
            "",
            "again: again; zero: place 0; low: place 1, place 2, place 3; high: place 5",
        ),
        ("score", "0 roll [75]", "1 roll [35]; 1 place 3; 2 roll [42]; 2 place 5", ""),
        ("throw", "0 place 2", "", "again: again; zero: place 0; low: place 1; high: place 4"),
        ("others", "0 roll [36]", "1 roll [43]; 1 place 4; 2 roll [16]; 2 place 1", ""),
        (
            "choose",
            "0 place 0; 0 place 2; 0 place 3; 0 place 4; 0 place 5",
            "",
            "again: again; 0: place 0; 2: place 2; 3: place 3; 4: place 4; 5: place 5",
        ),
    ),
    scene(
        "rapido",
        "dare",
        "Ana Bento Clara",
        "turn=0 phase=first value=0 steps=9,11,8 tower=2:2:51",
        ("roll", "0 roll [1X]", "", ""),
        ("again", "0 again [33]", "", "zero: place 0; place: place 1, place 3, place 4, place 5"),
        ("double", "0 again [X5]", "", "place: place 0, place 1, place 3, place 4, place 5"),
        ("cross", "", "", ""),
    ),
    scene(
        "rapido",
        "finish",
        "Ana Bento Clara",
        "turn=0 phase=first value=0 steps=17,18,15 tower=2:2:61,4:1:72",
        ("roll", "0 roll [75]", "", ""),
        ("place", "0 place 3", "", "again: again; zero: place 0; low: place 1; high: place 5"),
        ("won", "", "1 roll [21]; 1 place 5; 2 roll [46]; 2 place 1", ""),
    ),
)
