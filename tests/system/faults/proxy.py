"""nginx in front of several workers."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from pathlib import Path

from project.test_deploy import configured_nginx
from serving import eventually, free_port

_TLS = """    ssl_certificate     /etc/letsencrypt/live/play.example.org/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/play.example.org/privkey.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
"""


class Nginx:
    """nginx with deploy/nginx.conf, without TLS and without the hash: a connection is to any worker."""

    def __init__(self, folder: Path, ports: list[int]) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "nginx.log"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        servers = " ".join(f"server 127.0.0.1:{port};" for port in ports)
        self._command = configured_nginx(
            folder,
            {
                "hash $escadaria_match consistent;": "random;",
                "server 127.0.0.1:8000;": servers,
                "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port};",
                _TLS: "",
            },
        )

    async def start(self) -> None:
        """Start it and wait until it accepts connections."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        await eventually(lambda: (self._folder / "nginx.pid").exists(), "nginx starts")

    async def stop(self) -> None:
        """Stop it at once: it closes all connections."""
        assert self._process is not None, "started"
        self._process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(self._process.wait)
