"""The workers of a Dask cluster as an executor: `local:4` starts one here, else it is there already.

What Dask does: it knows its workers, brings a unit to one and what comes of it back, and what units share from worker
to worker. What is done here: taking units as there is room for them, so that what is asked of a unit can depend on the
time that is left; giving each to a worker that is free (left to itself, Dask gives all to the one that has the data
already); giving what a worker was at when it died to another one, but not for ever; looking whether the scheduler and
at least one worker are still there; and ending all of it when somebody says so.
"""

from __future__ import annotations

import importlib.util
import queue
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, NamedTuple, TypeAlias

from maxsynth.errors import MaxSynthError, one_line
from maxsynth.spread.address import REMEDY, parse_address
from maxsynth.spread.executor import (
    Addressed,
    Arrivals,
    Do,
    Executor,
    Failed,
    Found,
    LostError,
    Opened,
    Serial,
    Stop,
    Unit,
    Units,
    Work,
)
from maxsynth.spread.on_worker import Missing, difference, keep, run_unit, versions

Tell = Callable[[str], None]
Client: TypeAlias = Any  # of Dask, which is loaded when it is used, and says little of its types
Future: TypeAlias = Any

CONNECTING = 5.0  # seconds for a scheduler to answer
ANSWERING = 30.0  # the same for one that is busy
FETCHING = 3.0  # seconds to get what was found, at first: then it is done again
MOST_TRIED = 5  # times that this is doubled
LOOK = 0.1  # seconds between two looks whether to stop
COUNT = 0.5  # seconds between two looks at the workers
ALLOWED = 3  # workers that may die of a unit before it is given up with the next
PATIENCE = 60.0  # seconds to wait for a worker where there is none
NOISY = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio", "bokeh")
QUIET = dict.fromkeys(NOISY, "critical")  # we say what there is to say
QUIET_WORKERS = {"DASK_LOGGING__DISTRIBUTED": "critical"}


@contextmanager
def executor_for(cluster: object, tell: Tell) -> Iterator[Executor]:
    """Who does the units: this process, a cluster at an address, or one that a client of Dask is connected to."""
    if cluster is None:
        yield Serial()
        return
    made = connect(cluster, tell) if isinstance(cluster, str) else Cluster(cluster, tell)
    try:
        yield made
    finally:
        made.close()


def connect(text: str, tell: Tell) -> Cluster:
    """The cluster at an address; it is started where it is to be here."""
    address = parse_address(text)
    distributed = load_dask()
    if address.workers is not None:
        local = start_here(distributed, address.workers)
        return Cluster(distributed.Client(local, set_as_default=False), tell, ends=local)
    client = in_time(lambda: distributed.Client(address.scheduler, timeout=CONNECTING, set_as_default=False))
    if isinstance(client, ValueError):
        raise MaxSynthError(one_line(f"`{text}`: {client}"), remedy=REMEDY)
    if client is None or isinstance(client, BaseException):
        remedy = "check the address, and that `dask scheduler` runs there"
        raise MaxSynthError(f"no Dask scheduler answers at `{text}`", remedy=remedy)
    return Cluster(client, tell, ends=client)


def start_here(distributed: Any, workers: int) -> Any:
    """Processes of this machine, of one thread each.

    Each search has its own limit of memory: a worker has none, and so nothing differs from a run without it.
    """
    try:
        return distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, memory_limit=0,
            dashboard_address=":0", silence_logs=False, preload=["maxsynth.spread.on_worker"],
        )  # fmt: skip
    except Exception as error:
        problem = one_line(f"{workers} processes cannot be started: {error}")
        remedy = 'take fewer; in a script of Python, begin the part that learns with `if __name__ == "__main__":`'
        raise MaxSynthError(problem, remedy=remedy) from None


def in_time(make: Callable[[], Client]) -> Any:
    """A client, or what went wrong; None when it took too long: at what is no scheduler, a client waits for ever."""
    made: list[Any] = []

    def attempt() -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what differs and matters is an error later
                made.append(make())
        except Exception as error:
            made.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(2 * CONNECTING)
    return made[0] if made else None


def load_dask() -> Any:
    """The package, silent unless somebody uses it besides."""
    try:
        import dask

        if "distributed" not in sys.modules:
            dask.config.set({"logging": QUIET, "distributed.nanny.pre-spawn-environ": QUIET_WORKERS})
        import distributed
    except ImportError:
        raise MaxSynthError("a cluster needs Dask", remedy="pip install 'maxsynth[cluster]'") from None
    return distributed


class Doing(NamedTuple):
    """A unit that is under way."""

    do: Do[Any, Any, Any]
    number: int
    work: Work[Any]
    unit: object
    worker: str | None = None  # to which it was sent; None: there was none
    deaths: int = 0  # of workers that were at it
    tried: int = 0  # how often it was done, and nothing came of it


def given_up(times: int) -> str:
    return f"each of the {times} workers that tried it died (out of memory?)"


class Cluster:
    """The workers that a client of Dask is connected to. What it `ends` is closed with it."""

    def __init__(self, client: Client, tell: Tell, ends: Any = None) -> None:
        self.client = client
        self.tell = tell
        self.ends = ends
        self.threads: dict[str, int] = {}  # of each worker
        self.without_since: float | None = None  # when there was no worker any more
        self.arrived: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self.name, self.keys = f"{time.time_ns():x}", count()  # of what is submitted
        self.has_data: set[tuple[str | None, str]] = set()  # workers, and the hash of what they were sent
        self.data: dict[Work[Any], tuple[str, Future]] = {}  # what is there for units that are not done yet
        try:
            self.count_places()
            self.check_versions()
            tell(self.told())
        except BaseException:
            self.close()
            raise

    def told(self) -> str:
        """What a person wants to know of it."""
        text = f"cluster: {self.places} place{'s' * (self.places != 1)} for work"
        return text + (f", dashboard at {self.client.dashboard_link}" if self.has_dashboard() else "")

    def has_dashboard(self) -> bool:
        """A scheduler without bokeh has an address for it too, at which there is nothing to see."""
        with suppress(Exception):  # some allow nobody to ask
            return bool(self.client.run_on_scheduler(importlib.util.find_spec, "bokeh"))
        return False

    def check_versions(self) -> None:
        """Refuses workers on which the answer may be another one. Those that come later look for themselves."""
        ours = versions()
        for worker, theirs in self.client.run(versions, on_error="return").items():
            if isinstance(theirs, BaseException):
                problem = one_line(f"the worker {worker} cannot run maxsynth: {theirs}")
                raise MaxSynthError(problem, remedy="install the same version there")
            different = difference(tuple(map(tuple, theirs)), ours)
            if different is not None:
                raise MaxSynthError(f"the worker {worker} {different}", remedy="install the same there")

    def close(self) -> None:
        """Ends what was started. What is under way then has nobody who waits for it, and stops."""
        if self.ends is None:
            return
        with suppress(Exception):
            self.client.close(timeout=2)
        if self.ends is not self.client:
            with suppress(Exception):
                self.ends.close(timeout=10)

    # -- doing units ------------------------------------------------------------------------------------------

    def run(self, do: Do[Opened, Unit, Found], units: Units[Opened, Unit], stop: Stop) -> Arrivals[Found]:
        """What every worker finds, as it comes; what dies with a worker is done by another one."""
        coming = enumerate(units)
        doing: dict[Future, Doing] = {}
        try:
            while True:
                while len(doing) < max(self.places, 1) and not stop() and (one := next(coming, None)) is not None:
                    number, (work, unit) = one
                    self.start(Doing(do, number, work, unit), doing)
                if not doing or stop():
                    return
                arrived = self.next_arrival()
                yield from self.done_again(doing)
                if arrived not in doing:  # nothing came, or what was given up before
                    continue
                done = doing.pop(arrived)
                outcome = self.outcome(arrived, FETCHING * 2 ** min(done.tried, MOST_TRIED))
                if isinstance(outcome, Missing):
                    self.start(done._replace(tried=done.tried + 1), doing)
                    continue
                self.note_data(done)
                self.keep_data(one.work for one in doing.values())
                yield done.number, outcome
        finally:
            self.cancel(list(doing))
            self.data.clear()

    def start(self, one: Doing, doing: dict[Future, Doing]) -> None:
        """Sends a unit to the worker with the most room, with the data where that does not have it yet."""
        room = dict(self.threads)
        for other in doing.values():
            if other.worker in room:
                room[other.worker] -= 1
        one = one._replace(worker=max(room, key=lambda worker: room[worker], default=None))
        digest, data = self.sent(one.work)
        if one.worker is not None and not one.tried and (one.worker, digest) in self.has_data:
            data = None
        unit = one.unit.addressed_to(one.worker, bool(one.tried)) if isinstance(one.unit, Addressed) else one.unit
        where = {} if one.worker is None else {"workers": [one.worker]}
        key = self.new_name()
        future = self.client.submit(run_unit, versions(), one.do, digest, data, unit, key=key, pure=False, **where)
        future.add_done_callback(self.arrived.put)
        doing[future] = one

    def new_name(self) -> str:
        """A name that nothing else has on the cluster."""
        return f"maxsynth-{self.name}-{next(self.keys)}"

    def note_data(self, done: Doing) -> None:
        """What came back from a worker was done with the data that it now has."""
        self.has_data.add((done.worker, self.data[done.work][0]))

    def done_again(self, doing: dict[Future, Doing]) -> Arrivals[Any]:
        """Gives what dead workers were at to others; yields what was given up, since it may be what kills them."""
        for future, one in list(doing.items()):
            if one.worker is None or one.worker in self.threads or future.status != "pending":
                continue
            del doing[future]
            self.cancel([future])
            if one.deaths == ALLOWED:
                yield one.number, Failed(given_up(ALLOWED + 1))
            else:
                self.start(one._replace(deaths=one.deaths + 1), doing)

    def cancel(self, futures: list[Future]) -> None:
        with suppress(Exception):
            self.client.cancel(futures, force=True)

    def sent(self, work: Work[Opened]) -> tuple[str, Future]:
        """What units share, on the cluster: it goes there once, and from worker to worker."""
        if work not in self.data:
            import hashlib  # with OpenSSL, which takes its time to load

            import cloudpickle  # which also takes functions of a user's script
            import dask

            try:
                data = cloudpickle.dumps(work.sent())
            except (TypeError, AttributeError, ValueError) as error:
                raise MaxSynthError(
                    one_line(f"this task cannot be sent to a cluster: {error}"), remedy="learn without a cluster"
                ) from None
            digest = hashlib.sha256(data).hexdigest()
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
                key = f"{self.new_name()}-data"
                self.data[work] = digest, self.client.submit(keep, data, key=key, pure=False)
        return self.data[work]

    def keep_data(self, needed: Iterable[Work[Any]]) -> None:
        """Forgets what no unit needs any more, but for the last: the next unit may need it too."""
        wanted = {*needed, *list(self.data)[-1:]}
        for work in [work for work in self.data if work not in wanted]:
            del self.data[work]

    def next_arrival(self, moment: float = LOOK) -> Future | None:
        """A future that came to its end; None when none came for a moment."""
        self.look()
        with suppress(queue.Empty):
            return self.arrived.get(moment > 0, moment)
        return None

    def outcome(self, future: Future, patience: float) -> Any:
        """What came of a unit. It is `Missing` where the data was, or where the worker died that had the outcome."""
        from distributed import KilledWorker

        if self.client.status != "running":
            raise self.lost()
        try:
            return future.result(timeout=patience)
        except KilledWorker as killed:
            return Failed(given_up(killed.allowed_failures + 1))
        except (MaxSynthError, MemoryError):
            raise
        except Exception as error:
            if self.client.status != "running":
                raise self.lost() from None
            if future.status != "error":  # it took too long to get it, or is lost
                return Missing()
            problem = one_line(f"a worker failed: {type(error).__name__}: {error}")
            raise MaxSynthError(problem, remedy="look at the log of the worker") from None

    # -- whether it is still there ----------------------------------------------------------------------------

    def look(self) -> None:
        """Looks at the workers when it is time to."""
        if time.monotonic() - self.counted >= COUNT:
            self.count_places()

    def count_places(self) -> None:
        """Looks how many units can be done at a time. Where there is no worker, it waits for one, for a while."""
        if self.client.status != "running":
            raise self.lost()
        try:
            self.threads = self.client.sync(self.client.scheduler.ncores, callback_timeout=ANSWERING)
        except Exception:
            raise self.lost() from None
        self.counted = time.monotonic()
        self.has_data = {(worker, digest) for worker, digest in self.has_data if worker in self.threads}
        if self.threads:
            self.without_since = None
        elif self.without_since is None:
            self.tell(f"there is no worker: waiting for one, for {PATIENCE:g} s at most")
            self.without_since = self.counted
        elif self.counted - self.without_since > PATIENCE:
            raise LostError(f"there was no worker for {PATIENCE:g} s", remedy="see to the workers of the cluster")

    @property
    def is_here(self) -> bool:
        """Whether the workers are processes of this machine that were started for this."""
        return self.ends is not None and self.ends is not self.client

    @property
    def places(self) -> int:
        return sum(self.threads.values())

    def jobs_of(self, left: int) -> int:
        """A place is a thread of a worker. On this machine, the last units have those of who has nothing left to do."""
        return max(1, self.places // left) if self.is_here else 1

    @staticmethod
    def lost() -> LostError:
        return LostError("the scheduler of the cluster is gone", remedy="start it again, or do without --cluster")
