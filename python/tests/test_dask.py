"""Tests of zmigrate.dask with a real cluster and the real program, which $ZMIGRATE_PROGRAM names."""

from __future__ import annotations

import array
import io
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from dask.system import cpu_count
from distributed import Client, LocalCluster

from zmigrate import dask

PROGRAM = os.environ["ZMIGRATE_PROGRAM"]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None, host="127.0.0.1") as cluster:
        with Client(cluster, set_as_default=False) as client:
            yield client


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "a.bin").write_bytes(array.array("i", range(4096)).tobytes())
    file = tmp_path / "job.yaml"
    file.write_text(
        """zmigrate: 1
source: {driver: raw, arrays: {a: {url: a.bin, data_type: int32, endian: little, shape: [4096]}}}
target: {url: out.zarr}
arrays: {a: {chunks: [64]}}
"""
    )
    return file


def test_migrate(client: Client, job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = dask.migrate(client, job, program=PROGRAM, bundles=8, set={"target.url": "it's here.zarr", "attributes": {"n": 1}})
    assert summary["chunks"] == 64 and not summary.get("nothing_to_do")
    assert '"n":1' in (job.parent / "it's here.zarr" / "zarr.json").read_text().replace(" ", "")
    assert "job: 8 of 8 parts" in capsys.readouterr().err
    again = dask.migrate(client, job, program=PROGRAM, set={"target.url": Path("it's here.zarr"), "attributes": {"n": 1}})
    assert again["nothing_to_do"]


def test_slots(client: Client, job: Path) -> None:
    assert dask.migrate(client, job, program=PROGRAM, bundles=16, slots=1, progress="none")["chunks"] == 64


def test_processors(client: Client, job: Path, tmp_path: Path) -> None:
    """The processes of a worker share its processors."""
    program = tmp_path / "zmigrate"
    program.write_text(f'#!/bin/sh\necho "$GOMAXPROCS $1" >> {tmp_path}/starts\nexec {PROGRAM} "$@"\n')
    program.chmod(0o755)
    dask.migrate(client, job, program=PROGRAM, worker_program=str(program), bundles=16, progress="none")
    starts = (tmp_path / "starts").read_text().splitlines()
    assert f"{max(1, cpu_count() // 2)} work" in starts


def test_invalid_job(client: Client, job: Path) -> None:
    with pytest.raises(dask.CommandFailed, match="chunkz") as e:
        dask.migrate(client, job, program=PROGRAM, set={"arrays.a": {"chunkz": [1]}})
    assert e.value.status == 2 and e.value.problems


def test_unfit_worker(client: Client, job: Path) -> None:
    with pytest.raises(dask.UnfitWorkers, match="this machine has no program /nowhere/zmigrate") as e:
        dask.migrate(client, job, program=PROGRAM, worker_program="/nowhere/zmigrate")
    assert len(e.value.workers) == 1


def test_failed_part(client: Client, job: Path) -> None:
    (job.parent / "out.zarr.zmigrate").mkdir()
    dask._command(PROGRAM, ["submit", str(job), "--engine", "dask", "--dry-run", "--bundles", "8"], "campaign")
    (job.parent / "out.zarr" / "a" / "c" / "7" / "in the way").mkdir(parents=True)
    with pytest.raises(dask.PartsFailed, match="a/c/7") as e:
        dask.migrate(client, job, program=PROGRAM, bundles=8, retries=0)
    assert list(e.value.parts) == ["0-8"]
    assert not (job.parent / "out.zarr" / "zarr.json").exists()


def test_missing_program(client: Client, job: Path) -> None:
    with pytest.raises(dask.ProgramMissing, match="pip install zmigrate"):
        dask.migrate(client, job, program="/nowhere/zmigrate")


@pytest.mark.parametrize("wrong", [{"slots": 0}, {"retries": -1}, {"progress": "much"}])
def test_wrong_arguments(client: Client, job: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="want"):
        dask.migrate(client, job, program=PROGRAM, **wrong)  # type: ignore[arg-type]


def test_nobody_answers() -> None:
    with pytest.raises(dask.ClusterError, match="start one with dask scheduler"):
        dask._connect("tcp://127.0.0.1:1", 0.2)


def test_progress() -> None:
    out = io.StringIO()
    bar = dask._Progress("job", "bar", out)
    bar.show(0, 4, 0, 0)
    bar.show(3, 4, 1, 2)
    bar.end()
    assert out.getvalue().startswith("\r[........................] job: 0 of 4 parts")
    assert out.getvalue().endswith("job: 3 of 4 parts, 2 begun again, 1 failed, 0 s left\x1b[K\n")


@pytest.fixture
def slow_job(tmp_path: Path) -> Path:
    """A job that takes a worker some seconds."""
    random = array.array("i")
    state = 1
    for _ in range(1 << 18):
        state = (state * 1103515245 + 12345) % (1 << 31)
        random.append(state >> 20)
    (tmp_path / "a.bin").write_bytes(random.tobytes())
    file = tmp_path / "job.yaml"
    file.write_text(
        """zmigrate: 1
source: {driver: raw, arrays: {a: {url: a.bin, data_type: int32, endian: little, shape: [262144]}}}
target: {url: out.zarr}
arrays: {a: {chunks: [2048], codecs: [bytes, {zstd: {level: 19}}]}}
"""
    )
    return file


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def undisturbed(job: Path) -> dict[str, bytes]:
    """The target of a run without Dask, which is removed."""
    dask._command(PROGRAM, ["run", str(job)], "summary")
    target = job.parent / "out.zarr"
    files = contents(target)
    shutil.rmtree(target)
    shutil.rmtree(job.parent / "out.zarr.zmigrate")
    return files


def begun(job: Path) -> int:
    """How many parts were begun."""
    return len(list(job.parent.glob("out.zarr.zmigrate/work/*/*/*.begun")))


def elastic() -> LocalCluster:
    return LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")


def test_adaptive_cluster(slow_job: Path) -> None:
    want = undisturbed(slow_job)
    with elastic() as cluster, Client(cluster, set_as_default=False) as client:
        cluster.adapt(minimum=0, maximum=3, interval="100ms")
        assert dask.migrate(client, slow_job, program=PROGRAM, bundles=32, retries=0)["chunks"] == 128
    assert contents(slow_job.parent / "out.zarr") == want


def test_workers_come_and_go(slow_job: Path) -> None:
    want = undisturbed(slow_job)
    with elastic() as cluster, Client(cluster, set_as_default=False) as client:
        cluster.scale(3)
        client.wait_for_workers(3, timeout=60)
        with ThreadPoolExecutor() as threads:
            migration = threads.submit(dask.migrate, client, slow_job, program=PROGRAM, bundles=32, retries=0)
            most, sizes = 0, [1, 3, 1, 2]
            while not migration.done():
                now = begun(slow_job)
                if sizes and now >= most + 3:
                    cluster.scale(sizes.pop(0))
                    most = now
            assert migration.result()["chunks"] == 128
    assert not sizes, "the migration was too quick"
    assert contents(slow_job.parent / "out.zarr") == want


def test_no_workers_any_more(slow_job: Path) -> None:
    with elastic() as cluster, Client(cluster, set_as_default=False) as client:
        cluster.scale(1)
        client.wait_for_workers(1, timeout=60)
        with ThreadPoolExecutor() as threads:
            migration = threads.submit(dask.migrate, client, slow_job, program=PROGRAM, bundles=32, patience=0.5)
            while not migration.done() and begun(slow_job) == 0:
                pass
            cluster.scale(0)
            with pytest.raises(dask.WorkersLost, match="parts are done; start some workers") as e:
                migration.result()
    assert e.value.status == 3
