"""What one arena on this machine is asked to be, and the environment and command of each of its processes."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import rummy
from rummy.embedded import folders
from rummy.embedded.service import Service

ROOT = Path(rummy.__file__).parents[1]
INHERITED = ("PATH", "LANG", "TZ", "TMPDIR", "SSL_CERT_FILE")
OF_BOTS_PORT = ("ARENA_TLS_CERTIFICATE", "ARENA_TLS_KEY", "ARENA_PLAIN_BOTS")
"""Settings of the arbiter that the operator gives to the whole arena."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the command line asks for."""

    data: Path
    http_host: str = "127.0.0.1"
    http_port: int = 8101
    bots_listen: str = "127.0.0.1:50151"
    workers: int = 1
    trust_bots: bool = False
    arbiters: int = 1
    """Bots of other machines know of the first: the others listen at ports that happen to be free."""
    endless: bool = False
    """Whatever dies is started again, however often. Otherwise what dies again and again ends the arena."""

    def as_json(self) -> str:
        """One line, from which `from_json` makes the plan again."""
        return json.dumps({**asdict(self), "data": str(self.data)})

    @classmethod
    def from_json(cls, line: str) -> "Plan":
        """The plan that `as_json` wrote."""
        values = json.loads(line)
        return cls(**{**values, "data": Path(values["data"])})

    @property
    def bot_logs(self) -> Path:
        """The folder for what hosted bots write; in the data, since the run folder goes with the arena."""
        return self.data / "logs" / "bots"

    @property
    def address(self) -> str:
        """Where the dashboard is."""
        host = f"[{self.http_host}]" if ":" in self.http_host else self.http_host
        return f"http://{host}:{self.http_port}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where the servers of a plan are, and the secrets to enter."""

    plan: Plan
    run: Path
    database_url: str
    """The owner's."""
    redis_url: str

    def role_password(self, role: str) -> str:
        """The password of one of the services' database roles."""
        return folders.secret(self.plan.data / f"{role}.password")

    def services(self) -> list[Service]:
        """All processes of the arena's own."""
        arbiters, workers = _names("arbiter", self.plan.arbiters), _names("worker", self.plan.workers)
        return [
            *(self._service(name, ["arbiter"], self._arbiter(name)) for name in arbiters),
            *(self._service(name, ["workers", "--name", name], self._worker()) for name in workers),
            self._service("dashboard", ["api"], self._dashboard()),
        ]

    def operator(self, owner_token: str) -> dict[str, str]:
        """The settings with which the operator's commands reach this arena."""
        return {
            "ARENA_DATABASE_URL": self.database_url,
            "ARENA_REDIS_URL": self.redis_url,
            "ARENA_BOTS_LISTEN": self.plan.bots_listen,
            "ARENA_ARBITER_TOKEN": self._arbiter_token,
            "ARENA_HTTP_HOST": self.plan.http_host,
            "ARENA_HTTP_PORT": str(self.plan.http_port),
            "ARENA_RUN_DIR": str(self.run),
            "ARENA_OWNER_TOKEN": owner_token,
        }

    @property
    def _arbiter_token(self) -> str:
        return folders.secret(self.plan.data / "arbiter.token")

    def _arbiter(self, name: str) -> dict[str, str]:
        host = self.plan.bots_listen.rpartition(":")[0]
        given = {name: os.environ[name] for name in OF_BOTS_PORT if name in os.environ}
        settings = {
            "ARENA_DATABASE_URL": self._url_for("arena_arbiter"),
            "ARENA_BOTS_LISTEN": self.plan.bots_listen if name in ("arbiter", "arbiter-1") else f"{host}:0",
            "ARENA_ARBITER_TOKEN": self._arbiter_token,
            "ARENA_RUN_DIR": str(own_folder(self.run, name)),
            "ARENA_BOT_LOGS": str(own_folder(self.plan.bot_logs, name)),
            "ARENA_TRUST_BOTS": "1" if self.plan.trust_bots else "0",
        }
        return settings | given

    def _worker(self) -> dict[str, str]:
        return {
            "ARENA_DATABASE_URL": self._url_for("arena_worker"),
            "ARENA_REDIS_URL": self.redis_url,
            "ARENA_ARBITER_TOKEN": self._arbiter_token,
            "ARENA_RUN_DIR": str(self.run),
        }

    def _dashboard(self) -> dict[str, str]:
        return {
            "ARENA_DATABASE_URL": self._url_for("arena_dashboard"),
            "ARENA_HTTP_HOST": self.plan.http_host,
            "ARENA_HTTP_PORT": str(self.plan.http_port),
        }

    def _service(self, name: str, module: Sequence[str], settings: Mapping[str, str]) -> Service:
        environ = {name: os.environ[name] for name in INHERITED if name in os.environ}
        environ |= {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **settings}
        return Service(name, [sys.executable, "-P", "-m", *module], environ, self.plan.data / "logs" / f"{name}.log")

    def _url_for(self, role: str) -> str:
        parts = urlsplit(self.database_url)
        place = parts.netloc.rpartition("@")[2]
        return urlunsplit(parts._replace(netloc=f"{role}:{quote(self.role_password(role), safe='')}@{place}"))


def own_folder(shared: Path, name: str) -> Path:
    """What the arbiter of that *name* has of a folder of the arena: all of it, or a part where there are several."""
    return shared if name == "arbiter" else shared / name


def _names(kind: str, number: int) -> list[str]:
    return [kind] if number == 1 else [f"{kind}-{each}" for each in range(1, number + 1)]
