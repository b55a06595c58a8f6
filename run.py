#!/usr/bin/env python3
"""Run, test and benchmark Escadaria; needs only Python 3.11 or newer.

python3 run.py                     open the game in the browser
python3 run.py play                play in the terminal
python3 run.py WORDS ...           the `escadaria` command, for example `simulate rapido`
python3 run.py test                lint, format, types and tests: what must pass before a change lands
python3 run.py test quick          the same in a minute: rules, records, texts, rooms in memory and the client
python3 run.py test night          the long versions of tests: the folders named night
python3 run.py test --changed      the tests that what you changed can break
python3 run.py test PYTEST ...     selected tests; all arguments go to pytest
python3 run.py bench NAME ...      run a benchmark: bench/NAME.py
python3 run.py tool NAME ...       run a developer tool: tools/NAME.py
python3 run.py screenshots ...     take screenshots of the web client, into screenshots/
python3 run.py docs [serve]        build the documentation into site/, or serve it
python3 run.py lock                update constraints.txt to the newest versions of all dependencies

The first run creates an environment in .venv with what the command needs, and the first with a
server builds the web client; later runs start immediately, until pyproject.toml, constraints.txt or
web/ change.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

# The code above and the syntax below are valid in Python 3.6, so that old versions reach this message.
if sys.version_info < (3, 11):  # noqa: UP036 - any version of Python may run this file
    sys.exit("Escadaria needs Python 3.11 or newer; this is Python {}.{}.".format(*sys.version_info))

import tomllib

import hatch_build  # beside this file

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "escadaria-ready"  # the fingerprint of the environment; written last
CONSTRAINTS = ROOT / "constraints.txt"

SCRIPTS = {"bench": "bench", "tool": "tools"}  # folders of scripts for developers
GROUPS = {"dev", "bench"}  # of dependencies, in pyproject.toml; all other needs are extras
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DEV = {"dev", *PROJECT["optional-dependencies"]}
QUICK = ("tests/rules", "tests/core", "tests/system/worlds", "tests/web")
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
WORKERS = ("-n", str(CORES + 1))  # of tests, which wait for a third of their time
SERVER = ("admin", "print", "serve")  # commands with the server
LAB = ("arena", "benchmark", "serve", "simulate", "solve")  # compiled code; --plot needs the same extra

UV_HOME = ROOT / ".uv"  # where uv is installed if the machine has none
UV_OLDEST = (0, 9)


def main(words: list[str]) -> int:
    command, *rest = words or ["serve", "--open"]
    if command in ("-h", "--help"):
        print(__doc__, end="")
        return 0
    if command == "test":
        return test(rest)
    if command in SCRIPTS:
        return script(SCRIPTS[command], rest)
    if command == "screenshots":
        return script("tools", [command, *rest])
    if command == "docs":
        prepare(DEV)
        return become([str(PYTHON), "-m", "zensical", *(rest or ["build", "--strict"])])
    if command == "lock":
        return lock()
    prepare(needs_of(command, rest))
    return become([str(BIN / "escadaria"), command, *rest])


def needs_of(command: str, words: list[str]) -> set[str]:
    """The extras that a command of `escadaria` needs."""
    plots = any(word.split("=")[0] == "--plot" for word in words)
    lab = {"lab"} if command in LAB or plots else set()
    return lab | ({"server"} if command in SERVER else set())


def test(words: list[str]) -> int:
    """Run the checks and tests, even after a failure, and return 0 only if all passed."""
    prepare(DEV)
    failed = [step for step in ("ruff check", "ruff format --check") if call(*step.split(), ".") != 0]
    types = subprocess.Popen([PYTHON, "-m", "mypy"], cwd=ROOT, stdout=subprocess.PIPE)  # beside the tests
    failed += ["pytest"] if pytest(words) != 0 else []
    say("mypy")
    print(types.communicate()[0].decode(), end="")
    failed += ["mypy"] if types.returncode else []
    say(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


def pytest(words: list[str]) -> int:
    """Run the tests of a tier, those that a change can break, or selected ones."""
    if words[:1] == ["--changed"]:
        command = [str(PYTHON), "tools/changed.py"]
        found = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
        say(f"{len(found.split())} files and folders of tests depend on what you changed")
        return call("pytest", *WORKERS, *found.split(), *words[1:]) if found.strip() else 0
    tier, *rest = words or ["full"]
    night = (path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("tests/**/night")))
    folders = {"quick": QUICK, "full": (), "night": (*night,)}.get(tier)
    if folders is None:  # selected tests run in one process, where -s and --pdb work
        return call("pytest", *words)
    if tier != "quick":
        subprocess.call([PYTHON, "tests/programs.py"], cwd=ROOT)  # a test that needs what is missing fails
        compile_kernels()
    report = ["--durations=10", "--durations-min=1"]
    if not rest:  # the whole tier
        report += [f"--junitxml=.pytest_cache/{tier}.xml", *(["--shares"] if tier == "full" else [])]
    return call("pytest", *WORKERS, *report, *folders, *rest)


def compile_kernels() -> None:
    """Fill the cache of compiled kernels: each game in a process, so that no worker of pytest compiles."""
    say("compiling the kernels")
    games = [path.parent.name for path in sorted(ROOT.glob("src/escadaria/games/*/compiled"))]
    running = [subprocess.Popen([PYTHON, "-m", "tools.compile_kernels", game], cwd=ROOT) for game in games]
    for process in running:
        process.wait()  # a test that needs what did not compile says why


def call(module: str, *words: str) -> int:
    """Run a module of the environment."""
    say(" ".join([module, *words[:1]]))
    process = subprocess.Popen([PYTHON, "-m", module, *words], cwd=ROOT)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # it was interrupted too, and ends with a report
            continue


def script(folder: str, words: list[str]) -> int:
    """Run a script of the folder; without a valid name, list them."""
    known = sorted(path.stem for path in (ROOT / folder).glob("*.py"))
    if not words or words[0] not in known:
        say(f"name one of {folder}/: {', '.join(known)}")
        return 2
    prepare(DEV | {"bench"} if folder == "bench" else DEV)
    path = [str(ROOT), os.environ.get("PYTHONPATH", "")]  # the tools import research/
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    return become([str(PYTHON), str(ROOT / folder / f"{words[0]}.py"), *words[1:]])


def lock() -> int:
    """Update constraints.txt: one file with the versions for all platforms and Pythons."""
    say("resolving versions")
    command = [find_uv(), "pip", "compile", "--quiet", "--universal", "--python-version", "3.11"]
    command += ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
    command += ["--all-extras", "--group", "dev", "--group", "bench", "pyproject.toml"]
    versions = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    header = "# The versions Escadaria is tested with. Written by `python3 run.py lock`.\n"
    CONSTRAINTS.write_text(header + versions, encoding="utf-8", newline="\n")
    say(f"wrote {CONSTRAINTS.name}")
    return 0


def prepare(needs: set[str]) -> None:
    """Create or update .venv with these extras and groups. What it has already stays."""
    choose_numba_cache()
    basis = fingerprint()
    made_of = STAMP.read_text("utf-8").split() if STAMP.is_file() and PYTHON.is_file() else []
    is_new = made_of[:1] != [basis]
    has = set() if is_new else set(made_of[1:])
    if "server" not in needs:
        os.environ["ESCADARIA_SKIP_WEB"] = "1"  # only the server needs the web client
    client_is_old = not os.environ.get("ESCADARIA_SKIP_WEB") and not hatch_build.is_fresh(ROOT)
    if not is_new and not client_is_old and needs <= has:
        return
    needs = needs | has
    uv = find_uv()
    STAMP.unlink(missing_ok=True)  # after an interruption the next run starts again
    if is_new:  # from scratch, to remove packages that are no longer needed
        say("creating the environment in .venv (only once)")
        run_uv(uv, "venv", "--quiet", "--clear", "--python", base_python(), str(VENV))
    say("installing Escadaria" + (f" with {', '.join(sorted(needs))}" if needs else ""))
    install = ["pip", "install", "--python", str(PYTHON), "-c", CONSTRAINTS.name, *requirements(needs)]
    if client_is_old:
        say("building the web client (about a minute the first time)")
        install += ["--reinstall-package", "escadaria"]  # runs the hook in hatch_build.py
    run_uv(uv, *install)
    STAMP.write_text(" ".join([basis, *sorted(needs)]) + "\n", encoding="utf-8")


def requirements(needs: set[str]) -> list[str]:
    """The arguments of uv that install Escadaria with these extras and groups."""
    extras = ",".join(sorted(needs - GROUPS))
    groups = (word for group in sorted(needs & GROUPS) for word in ("--group", group))
    return ["-e", f".[{extras}]" if extras else ".", *groups]


def fingerprint() -> str:
    """A hash of all that the environment depends on, including its folder: scripts contain absolute paths."""
    basis = hashlib.sha256()
    for path in (ROOT / "pyproject.toml", CONSTRAINTS):
        basis.update(path.read_bytes() + b"\0")
    basis.update(f"{sys.version}\0{sys.base_prefix}\0{ROOT}".encode())
    return basis.hexdigest()


def choose_numba_cache() -> None:
    """Keep compiled kernels in a folder by their sources, and delete those of other sources.

    Numba itself compares only the file of a kernel, not those of the functions and constants that it uses.
    """
    sources = hashlib.sha256()
    for path in sorted([*ROOT.glob("src/escadaria/**/*.py"), *ROOT.glob("research/*.py")]):
        if not {"server", "store", "terminal"} & set(path.parts):
            sources.update(path.read_bytes())
    folder = VENV / "numba" / sources.hexdigest()[:16]
    for other in folder.parent.glob("*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))


def base_python() -> str:
    """The Python outside any environment: the one in .venv could not recreate .venv."""
    return str(getattr(sys, "_base_executable", sys.executable))


def find_uv() -> str:
    own = os.pathsep.join(str(UV_HOME / folder) for folder in ("bin", "Scripts"))
    for uv in (shutil.which("uv"), shutil.which("uv", path=own)):
        if uv and new_enough(uv):
            return uv
    fetch_uv()
    uv = shutil.which("uv", path=own)
    if uv is None:
        sys.exit(f"uv was installed in {UV_HOME}, but its executable is missing")
    return uv


def new_enough(uv: str) -> bool:
    """Whether uv runs (a stale launcher does not) and its version is new enough."""
    answer = subprocess.run([uv, "--version"], capture_output=True, text=True)
    version = re.match(r"uv (\d+)\.(\d+)", answer.stdout)
    return version is not None and (int(version[1]), int(version[2])) >= UV_OLDEST


def fetch_uv() -> None:
    """Install uv into .uv, by a small environment or, if Python cannot create one, by pip."""
    say("fetching uv, which installs everything else")
    shutil.rmtree(UV_HOME, ignore_errors=True)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"]
    install += ["--only-binary", "uv"]  # building it would need a Rust compiler
    wanted = "uv>={}.{}".format(*UV_OLDEST)
    # Debian ships Python without ensurepip; venv then leaves an incomplete environment.
    if subprocess.run([base_python(), "-m", "venv", UV_HOME], capture_output=True).returncode == 0:
        own_python = UV_HOME / PYTHON.relative_to(VENV)
        done = subprocess.call([own_python, *install, wanted]) == 0
    elif importlib.util.find_spec("pip"):
        shutil.rmtree(UV_HOME, ignore_errors=True)
        done = subprocess.call([sys.executable, *install, "--target", UV_HOME, wanted]) == 0
    else:
        shutil.rmtree(UV_HOME, ignore_errors=True)
        sys.exit(
            "This Python has neither venv nor pip, so nothing can be installed. Install one of them\n"
            "(Debian, Ubuntu: `apt install python3-venv`; Fedora: `dnf install python3-pip`;\n"
            "elsewhere: `python3 -m ensurepip`), or install uv, and try again."
        )
    if not done:
        sys.exit("uv could not be installed (see above). Check the network, or install uv in another way.")


def run_uv(uv: str, *words: str) -> None:
    if subprocess.call([uv, *words], cwd=ROOT) != 0:
        sys.exit("the environment could not be created (see above)")


def become(command: list[str]) -> int:
    """Replace this process by the command, so that Ctrl-C reaches only the command."""
    if os.name != "nt":
        os.execv(command[0], command)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Windows cannot replace a process, so this one waits
    return subprocess.call(command)


def say(text: str) -> None:
    print(f"== {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
