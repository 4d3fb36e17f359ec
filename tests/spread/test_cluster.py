"""Dask as an executor, on real clusters of processes: what it returns, what it sends, and what survives a kill."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from maxsynth.errors import MaxSynthError, Position
from maxsynth.spread import cluster as dask_cluster
from maxsynth.spread.cluster import Cluster, connect, executor_for
from maxsynth.spread.executor import Failed, LostError, in_order

from . import clusters
from .clusters import Processes, wait_until, work

pytest.importorskip("distributed")

SILENT = lambda text: None  # noqa: E731
NEVER = lambda: False  # noqa: E731


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    with clusters.cluster(tmp_path, workers=2) as made:
        yield made


def joined(processes: Processes, workers: int) -> Cluster:
    """A connection, once so many workers are there."""
    made = connect(processes.address, SILENT)
    made.client.wait_for_workers(workers, timeout=clusters.PATIENCE)
    made.count_places()
    return made


def test_what_it_finds_is_the_same_and_in_order(tmp_path: Path) -> None:
    """For one, two and three workers, which come one after the other."""
    with clusters.cluster(tmp_path, workers=0) as processes:
        for workers in (1, 2, 3):
            processes.add_worker()
            executor = joined(processes, workers)
            assert executor.places == workers
            shared = work(tmp_path)
            units = ((shared, unit) for unit in range(20))
            arrived = dict(executor.run(clusters.square_slowly, units, NEVER))
            assert arrived == {unit: ("shared", unit * unit) for unit in range(20)}
            units = ((shared, unit) for unit in range(20))
            found = list(in_order(executor.run(clusters.square_slowly, units, NEVER)))
            assert found == [("shared", unit * unit) for unit in range(20)]
            executor.close()


def test_all_workers_work_and_what_they_share_is_sent_to_each_once(
    processes: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten megabytes, for forty units: some bytes more leave this process; from worker to worker they go once."""
    from distributed.comm.tcp import TCP

    written: list[int] = []
    write = TCP.write

    async def counted(self: Any, *arguments: Any, **options: Any) -> Any:
        count = await write(self, *arguments, **options)
        written.append(count)
        return count

    executor = joined(processes, 2)
    monkeypatch.setattr(TCP, "write", counted)
    size = 10_000_000
    text = os.urandom(size // 2).hex()
    shared = work(tmp_path, text)
    found = list(executor.run(clusters.process_of, ((shared, unit) for unit in range(40)), NEVER))
    assert {pid for _, pid in found} == {worker.pid for worker in processes.workers}
    opened = sorted(path.name.split("-")[1] for path in tmp_path.glob("opened-*"))
    assert opened == sorted(str(worker.pid) for worker in processes.workers)
    assert size < sum(written) < 1.1 * size
    logs = executor.client.run(lambda dask_worker: [one["total"] for one in dask_worker.transfer_incoming_log])
    assert sum(map(sum, logs.values())) < 1.1 * size
    executor.close()


def test_a_worker_that_dies_costs_its_unit_and_nothing_else(processes: Processes, tmp_path: Path) -> None:
    executor = joined(processes, 2)
    units = ((work(tmp_path), (unit, str(tmp_path / "died"))) for unit in range(12))
    assert list(in_order(executor.run(clusters.die_once, units, NEVER))) == list(range(12))
    assert (tmp_path / "died").exists()
    assert sum(worker.poll() is not None for worker in processes.workers) == 1
    executor.close()


def test_an_outcome_that_dies_with_its_worker_is_made_again(tmp_path: Path) -> None:
    with executor_for("local:2", SILENT) as executor:
        units = ((work(tmp_path), (unit, str(tmp_path / "died"))) for unit in range(12))
        assert list(in_order(executor.run(clusters.die_when_done, units, NEVER))) == list(range(12))


def test_a_unit_that_kills_its_workers_is_given_up_and_said(tmp_path: Path) -> None:
    """`local:2` starts a worker again that died, so there would be no end."""
    with executor_for("local:2", SILENT) as executor:
        units = ((work(tmp_path), unit) for unit in range(6))
        found = list(in_order(executor.run(clusters.die_at_three, units, NEVER)))
    assert isinstance(found[3], Failed)
    assert "each of the 4 workers that tried it died" in found[3].why
    assert [found[unit] for unit in (0, 1, 2, 4, 5)] == [0, 1, 2, 4, 5]


def test_a_mistake_comes_back_as_it_is(processes: Processes, tmp_path: Path) -> None:
    executor = joined(processes, 2)
    with pytest.raises(MaxSynthError) as caught:
        list(executor.run(clusters.complain, ((work(tmp_path), unit) for unit in range(4)), NEVER))
    assert str(caught.value) == "file.pl:3: it is wrong (correct it)"
    assert caught.value.position == Position("file.pl", 3)
    units = ((work(tmp_path), unit) for unit in range(4))
    assert len(list(executor.run(clusters.square, units, NEVER))) == 4  # it goes on after that
    executor.close()


def test_a_unit_that_nobody_waits_for_stops(processes: Processes, tmp_path: Path) -> None:
    executor = joined(processes, 2)
    names = [str(tmp_path / f"unit{number}") for number in range(2)]

    def both_began() -> bool:
        return all(Path(f"{name}.began").exists() for name in names)

    assert list(executor.run(clusters.wait_for_stop, ((work(tmp_path), name) for name in names), both_began)) == []
    wait_until(lambda: all(Path(f"{name}.stopped").exists() for name in names))
    executor.close()


def test_a_scheduler_that_dies_ends_it(processes: Processes, tmp_path: Path) -> None:
    executor = joined(processes, 2)
    began = time.monotonic()
    found = executor.run(clusters.process_of, ((work(tmp_path), unit) for unit in range(1000)), NEVER)
    next(found)
    processes.scheduler.kill()
    with pytest.raises(LostError, match="the scheduler of the cluster is gone"):
        list(found)
    assert time.monotonic() - began < 30
    executor.close()


def test_without_any_worker_it_waits_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    with clusters.cluster(tmp_path, workers=0) as processes:
        executor = connect(processes.address, said.append)
        assert said[0] == "there is no worker: waiting for one, for 60 s at most"

        def units() -> Iterator[Any]:
            processes.add_worker()
            yield from ((work(tmp_path), unit) for unit in range(3))

        assert len(list(executor.run(clusters.square, units(), NEVER))) == 3
        monkeypatch.setattr(dask_cluster, "PATIENCE", 1.5)
        processes.workers[0].send_signal(signal.SIGKILL)
        with pytest.raises(LostError, match=r"there was no worker for 1\.5 s"):
            list(executor.run(clusters.square, ((work(tmp_path), unit) for unit in range(3)), NEVER))
        executor.close()


@pytest.mark.parametrize(
    ("before", "complaint"),
    [
        ("import maxsynth; maxsynth.__version__ = '0.0.7'", "has maxsynth 0.0.7, and here it is "),
        ("import numpy; numpy.__version__ = '1.0.1'", "has NumPy 1.0.1, and here it is "),
        ("import sys; sys.modules['maxsynth'] = None", "cannot run maxsynth: "),
    ],
)
def test_a_worker_with_other_versions_is_refused(tmp_path: Path, before: str, complaint: str) -> None:
    with clusters.cluster(tmp_path, workers=0) as processes:
        early = connect(processes.address, SILENT)
        processes.add_worker(before)
        early.client.wait_for_workers(1, timeout=clusters.PATIENCE)
        with pytest.raises(MaxSynthError, match=complaint):
            connect(processes.address, SILENT)
        if complaint.startswith("has"):  # one that came later looks itself; where there is no maxsynth, it ends
            with pytest.raises(MaxSynthError, match=complaint):
                list(early.run(clusters.square, [(work(tmp_path), 1)], NEVER))
        early.close()


def test_a_client_of_ones_own_stays_open(processes: Processes, tmp_path: Path) -> None:
    from distributed import Client

    with Client(processes.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=clusters.PATIENCE)
        with executor_for(client, SILENT) as executor:
            assert len(list(executor.run(clusters.square, ((work(tmp_path), unit) for unit in range(3)), NEVER))) == 3
        assert client.status == "running"
