"""Logging to standard error, as text or JSON lines."""

from __future__ import annotations

import json
import logging
import platform
import sys
import time
from importlib.metadata import version
from urllib.parse import urlsplit

from escadaria.server import metrics
from escadaria.settings import Settings

log = logging.getLogger(__name__)

_STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
_QUIET = ("uvicorn", "uvicorn.error", "asyncio", "websockets")
"""Loggers of libraries that log from level warning on."""
_SILENT = ("psycopg",)
"""Loggers of libraries that log from level error on: the store and the bus log a lost database themselves."""


def set_up_logs(settings: Settings) -> None:
    """Configure logging as the settings say."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if settings.log_format == "json" else TextLines())
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)
    for names, level in ((_QUIET, logging.WARNING), (_SILENT, logging.ERROR)):
        for name in names:
            logging.getLogger(name).setLevel(max(level, logging.getLogger().level))
    logging.getLogger("uvicorn.error").addFilter(_is_server_error)


def _is_server_error(record: logging.LogRecord) -> bool:
    """Drop the traceback of a frame that is not UTF-8: a client error."""
    return not record.getMessage().startswith("Invalid UTF-8")


class JsonLines(logging.Formatter):
    """One JSON object per line: time, level, logger, what, and the fields given as ``extra``."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _when(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "what": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """One line of text: time, level, message, and the fields given as ``extra`` as ``key=value``."""

    def format(self, record: logging.LogRecord) -> str:
        fields = " ".join(f"{key}={_quoted(value)}" for key, value in _fields(record).items())
        message = " ".join(record.getMessage().split())  # some libraries write several lines
        line = f"{_when(record)} {record.levelname.lower():7} {message} {fields}".rstrip()
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def _when(record: logging.LogRecord) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))


def _fields(record: logging.LogRecord) -> dict[str, object]:
    return {key: value for key, value in vars(record).items() if key not in _STANDARD}


def _quoted(value: object) -> str:
    """Quote a value unless it is one printable word. This prevents log injection by clients."""
    text = str(value)
    return text if text.isprintable() and " " not in text and text else json.dumps(text)


def started(settings: Settings, address: str) -> None:
    """Log that the server is ready, with its configuration."""
    fields = {
        "version": version("escadaria"),
        "commit": metrics.commit(),
        "python": platform.python_version(),
        "address": address,
        "database": database_name(settings.database),
        "hosts": settings.hosts or "local",
        "proxies": settings.proxies or "none",
        "connections": settings.connections,
        "files": _file_limit(),
        "bot_workers": settings.bot_workers,
    }
    log.info("started", extra=fields)


def database_name(url: str) -> str:
    """The kind and location of a database, without user and password."""
    scheme, separator, path = url.partition("://")
    if not separator:
        return f"sqlite {url}"
    if scheme.startswith("sqlite"):
        return f"sqlite {path.removeprefix('/')}"
    try:
        parts = urlsplit(url)
        place = f"{parts.hostname or 'local'}{f':{parts.port}' if parts.port else ''}{parts.path}"
    except ValueError:
        place = "?"
    return f"postgresql {place}"


def _file_limit() -> int | str:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return "unlimited"
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return "unlimited" if limit == resource.RLIM_INFINITY else limit
