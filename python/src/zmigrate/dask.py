"""Migrations on a Dask cluster.

`migrate` saves the plan of a job, has the workers of a cluster do its parts, and finishes it.
Data of chunks never pass through Dask: a task names a part, and a process of zmigrate beside the
worker does it. Receipts of what is done are in the checkpoint of the job.

This file is also the driver of `zmigrate submit --engine dask`, which hands its text to a Python
that may not have the package zmigrate. So it imports nothing but the standard library and
distributed. Workers need neither: they get these functions by value.
"""

from __future__ import annotations

import asyncio
import collections
import json
import os
import queue
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
import types
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO, TypeVar

from distributed import Client, Future, KilledWorker, Worker, WorkerPlugin, get_worker
from distributed.utils import sync

__all__ = [
    "ClusterError",
    "CommandFailed",
    "Interrupted",
    "PartsFailed",
    "ProgramMissing",
    "SchedulerLost",
    "UnfitWorkers",
    "WorkersLost",
    "ZmigrateError",
    "find_program",
    "migrate",
]


class ZmigrateError(Exception):
    """A migration has failed. `status` is what the exit status of zmigrate would be."""

    status: int = 1


class ProgramMissing(ZmigrateError):
    """There is no program zmigrate on the driver's machine."""


class CommandFailed(ZmigrateError):
    """A command of zmigrate has failed. The text is the program's message.

    `problems` are the faults of the job file, each with its line, column and field.
    """

    def __init__(self, message: str, status: int, problems: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.problems = list(problems)


class ClusterError(ZmigrateError):
    """No scheduler answers, or it has no workers."""


class UnfitWorkers(ZmigrateError):
    """Workers cannot do the plan. `workers` has the message of each address. Nothing was begun."""

    def __init__(self, workers: Mapping[str, str]) -> None:
        self.workers = dict(workers)
        lines = [f"\n  {address}: {message}" for address, message in sorted(self.workers.items())]
        super().__init__(f"{len(lines)} workers cannot do the plan, so nothing was begun:" + _some(lines, ""))


class PartsFailed(ZmigrateError):
    """Some parts have failed, and all others are done. `parts` has the message of each part."""

    def __init__(self, parts: Mapping[str, str], left: int = 0) -> None:
        self.parts = dict(parts)
        lines = [f"\n  units {part}: {message}" for part, message in self.parts.items()]
        others = f"no part was done, so {left} others were not begun" if left else "all others are done"
        super().__init__(f"{len(lines)} parts have failed, {others}:" + _some(lines, "\nmend the cause and give the same command again"))


class SchedulerLost(ZmigrateError):
    """The scheduler is gone. What is done stays done: the same call does what is left."""

    status = 3


class WorkersLost(ZmigrateError):
    """The cluster has no workers any more. What is done stays done: the same call does what is left."""

    status = 3


class Interrupted(ZmigrateError):
    """The driver was told to stop. What is done stays done: the same call does what is left."""

    status = 3


def _some(lines: Sequence[str], end: str) -> str:
    most = 10
    more = f"\n  and {len(lines) - most} more" if len(lines) > most else ""
    return "".join(lines[:most]) + more + end


# What runs beside a worker.

_Any = TypeVar("_Any")


def _sent(thing: _Any) -> _Any:
    """Has a function or class sent to the workers by value, as those of a notebook are. So the
    workers need no package zmigrate, and none of another version is used."""
    for part in (thing, *vars(thing).values()):
        if isinstance(part, (type, types.FunctionType)):
            part.__module__ = "__main__"
    return thing


@_sent
@dataclass
class _Child:
    """A process of zmigrate that does parts, one after the other.

    Its standard input ends when the worker dies, and then it stops. A child that is idle for a
    while is closed, because its driver may be dead.
    """

    process: subprocess.Popen[bytes]
    timer: threading.Timer | None = None

    def do(self, part: str) -> None:
        """Does a part. The error is a _Failed, or an _Ended if the child can do no more."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(part.encode() + b"\n")
            self.process.stdin.flush()
        except (OSError, ValueError):
            pass  # what it has printed, or its status, says why
        message = ""
        for line in self.process.stdout:
            answer = _parsed(line)
            if answer.get("line") == part:
                if answer.get("error"):
                    raise _Failed(str(answer["error"]))
                return
            if answer.get("nothing_to_do"):
                return
            message = str(answer.get("error", message))
        status = self.process.wait()
        how = f"status {status}" if status >= 0 else f"signal {-status}"
        raise _Ended(message or f"the process of zmigrate ended with {how}")

    def close(self) -> None:
        """Ends the input of the child. A part that is under way is stopped."""
        if self.timer is not None:
            self.timer.cancel()
        if self.process.stdin is not None:
            try:
                self.process.stdin.close()
            except OSError:
                pass

    def wait(self) -> None:
        """Waits for the end of a child that was closed. One that hangs is killed."""
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@_sent
class _Failed(Exception):
    """A part has failed."""


@_sent
class _Ended(Exception):
    """A child has ended before its part was done."""


@_sent
class _Processes(WorkerPlugin):
    """Keeps the processes of zmigrate that do the parts of one plan beside a worker."""

    idle_seconds = 30.0

    def __init__(self, programs: Sequence[str], work: Sequence[str]) -> None:
        self.programs = list(programs)
        self.arguments = [*work, "--stdin", "--end-with-input", "--json"]

    def setup(self, worker: Worker) -> None:
        from dask.system import cpu_count  # of this machine, with the bounds of its cgroup

        # The threads of a worker share its processors: so do their processes.
        self.environment = {"GOMAXPROCS": str(max(1, cpu_count() // worker.state.nthreads)), **os.environ}
        self.lock = threading.Lock()
        self.idle: list[_Child] = []
        self.busy: dict[Any, _Child] = {}
        self.cancelled: set[Any] = set()
        self.closed = False

    def work(self, part: str, key: Any) -> None:
        """Does a part. If this worker cannot, the error says why."""
        while True:
            child, used = self._take(key)
            try:
                child.do(part)
            except _Failed:
                # What has failed may keep the process from doing other parts.
                with self.lock:
                    del self.busy[key]
                    self.cancelled.discard(key)
                child.close()
                child.wait()
                raise
            except _Ended:
                with self.lock:
                    del self.busy[key]
                    stopped = self.closed or key in self.cancelled
                    self.cancelled.discard(key)
                child.close()
                # A child that was idle may have died or lost its lock since.
                if used and not stopped:
                    continue
                raise
            self._release(key, child)
            return

    def _take(self, key: Any) -> tuple[_Child, bool]:
        with self.lock:
            if self.closed:
                raise _Ended("the worker is closing")
            used = bool(self.idle)
            child = self.idle.pop() if used else _Child(_start(self.programs, self.arguments, self.environment))
            if child.timer is not None:
                child.timer.cancel()
            self.busy[key] = child
            return child, used

    def _release(self, key: Any, child: _Child) -> None:
        with self.lock:
            del self.busy[key]
            self.cancelled.discard(key)
            if self.closed:
                child.close()
                return
            child.timer = threading.Timer(self.idle_seconds, self._expire, [child])
            child.timer.daemon = True
            child.timer.start()
            self.idle.append(child)

    def _expire(self, child: _Child) -> None:
        with self.lock:
            if child not in self.idle:
                return
            self.idle.remove(child)
        child.close()
        child.wait()

    def transition(self, key: Any, start: Any, finish: Any, **kwargs: Any) -> None:
        """Stops a part that nobody wants any more, because its driver is dead or was stopped."""
        if finish == "released":
            with self.lock:
                child = self.busy.get(key)
                if child is not None:
                    self.cancelled.add(key)
                    child.close()

    async def teardown(self, worker: Worker) -> None:
        with self.lock:
            self.closed = True
            children = [*self.idle, *self.busy.values()]
            self.idle.clear()
            for child in children:
                child.close()
        await asyncio.gather(*(asyncio.to_thread(child.wait) for child in children))


@_sent
def _start(
    programs: Sequence[str], arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    # A session of its own keeps Ctrl-C on a terminal from the child. The child ends with its input.
    return subprocess.Popen(
        [_found(programs), *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


@_sent
def _found(programs: Sequence[str]) -> str:
    """Returns the first of these programs that is on this machine. A name is looked up."""
    scripts = sysconfig.get_path("scripts")
    for program in programs:
        if os.path.dirname(program):
            found = shutil.which(program)
        else:
            found = shutil.which(program, path=scripts) or shutil.which(program)
        if found:
            return found
    raise FileNotFoundError(
        f"this machine has no program {' or '.join(programs)}: install zmigrate there, or name the program of the workers' machines"
    )


@_sent
def _parsed(line: bytes | str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


@_sent
def _events(text: str | bytes) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        event = _parsed(line)
        if event:
            yield event


@_sent
def _work(plugin: str, part: str) -> None:
    """Is the task of a part. Its errors are of a class that every Python has: a RuntimeError of a
    message, the address of a worker, and what the driver is to do, see _Driver._ended."""
    worker = get_worker()
    key = worker.get_current_task()
    processes: Any = worker.plugins.get(plugin)
    # The scheduler keeps this note until the driver forgets the task. If there is a note, Dask has
    # begun the task before, on a worker that is gone. The driver decides what to do.
    scheduler: Any = worker.scheduler
    before = sync(worker.loop, scheduler.get_metadata, keys=[key], default="")
    if before:
        raise RuntimeError("the worker died", before, "lost")
    sync(worker.loop, scheduler.set_metadata, keys=[key], value=worker.address)
    try:
        if processes is None:
            raise _Ended("the worker does not know the plan: it has begun after the driver")
        processes.work(part, key)
    except (_Failed, _Ended, OSError) as e:
        closing = processes is not None and processes.closed
        raise RuntimeError(str(e), worker.address, "again" if closing else "failed") from None


@_sent
async def _check(programs: Sequence[str], work: Sequence[str], version: str) -> str:
    """Asks zmigrate on a worker whether it can do the plan. Returns what is wrong, or ""."""
    return await asyncio.to_thread(_checked, programs, work, version)


@_sent
def _checked(programs: Sequence[str], work: Sequence[str], version: str) -> str:
    tries = 3  # a process that was killed says nothing about the worker
    try:
        for _ in range(tries):
            ran = subprocess.run(
                [_found(programs), *work, "--check", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            if ran.returncode >= 0:
                break
    except OSError as e:
        return str(e)
    for event in _events(ran.stdout):
        if event.get("event") == "ready" and version and event.get("version") != version:
            return f"it has version {event.get('version')} of zmigrate, and the plan was saved by version {version}: use the same program on all machines"
        if event.get("event") == "ready" or event.get("nothing_to_do"):
            return ""
        if event.get("event") == "error":
            return str(event.get("error"))
    return ran.stderr.decode(errors="replace").strip() or f"zmigrate ended with status {ran.returncode}"


# The driver.


@dataclass
class _Campaign:
    """A saved plan, as `zmigrate submit --engine dask --dry-run --json` prints it."""

    name: str
    plan: str
    version: str
    programs: list[str]
    work: list[str]
    finish: list[str]
    parts: list[str]

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> _Campaign:
        return cls(**{name: event[name] for name in cls.__dataclass_fields__})


@dataclass
class _Part:
    name: str
    failed: int = 0  # how often
    lost: int = 0  # how many workers died while they did it
    blamed: int = 0  # how often Dask has given it up because workers died that had not begun it
    message: str = ""
    avoid: set[str] = field(default_factory=set)  # addresses of workers that have failed


@dataclass
class _Driver:
    client: Client
    campaign: _Campaign
    slots: int | None
    retries: int
    patience: float
    progress: _Progress
    stop: threading.Event
    addresses: list[str] = field(default_factory=list)
    threads: int = 0
    looked: float = 0.0
    alone: float | None = None  # since when there have been no workers
    grace: float = 10.0  # seconds to wait for a second worker, see _deadly
    again: int = 0  # how many parts were begun again
    failed: dict[str, str] = field(default_factory=dict)
    done: int = 0

    def run(self) -> None:
        """Does all parts of the campaign. The workers are as before when it returns."""
        self._check_workers()
        plugin = f"zmigrate-{self.campaign.plan[:12]}"
        self.client.register_plugin(_Processes(self.campaign.programs, self.campaign.work), name=plugin)
        try:
            self._do_parts(plugin)
        finally:
            if self._connected():
                try:
                    self.client.unregister_worker_plugin(plugin)
                except (OSError, ValueError, TimeoutError, KeyError):
                    pass  # idle processes end by themselves
        if self.failed:
            raise PartsFailed(self.failed, len(self.campaign.parts) - self.done - len(self.failed))

    def _connected(self) -> bool:
        return self.client.status == "running"

    def _check_workers(self) -> None:
        self._look()
        if not self.addresses:
            self._await_worker()
        arguments = (self.campaign.programs, self.campaign.work, self.campaign.version)
        answers = self.client.run(_check, *arguments, on_error="return")
        unfit = {address: str(answer) or repr(answer) for address, answer in answers.items() if answer != ""}
        if unfit:
            self._look()  # some may have died meanwhile
            unfit = {address: message for address, message in unfit.items() if address in self.addresses}
        if unfit:
            raise UnfitWorkers(unfit)

    def _await_worker(self) -> None:
        """Waits for the first worker. A task makes adaptive clusters start one."""
        self.progress.say("the scheduler has no workers yet: waiting for one")
        wanted = self.client.submit(os.getpid, pure=False, key=f"zmigrate-wants-a-worker-{uuid.uuid4().hex}")
        end = time.monotonic() + self.patience
        while not self.addresses and time.monotonic() < end:
            if self.stop.wait(0.1):
                raise Interrupted("stopped before the work has begun")
            self._lost_scheduler()
            self._look(every=0.5)
        wanted.release()
        if not self.addresses:
            raise ClusterError(f"the scheduler has had no workers for {self.patience:g} s: start some with dask worker, or scale the cluster")

    def _lost_scheduler(self, reason: str = "") -> None:
        if reason or not self._connected():
            raise SchedulerLost(
                f"the Dask scheduler is lost{reason and f' ({reason})'}: {self.done} of {len(self.campaign.parts)} parts are done; "
                "give the same command again when there is a scheduler, and it does what is left"
            )

    def _look(self, every: float = 0.0) -> None:
        """Asks for the workers, at most once in so many seconds."""
        now = time.monotonic()
        if now - self.looked < every:
            return
        self.looked = now
        try:
            workers: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, TimeoutError) as e:
            self._lost_scheduler(str(e))
        else:
            self.addresses = list(workers)
            self.threads = sum(w["nthreads"] for w in workers.values())
            self.alone = None if workers else self.alone or now

    def _window(self) -> int:
        return self.slots or 4 * max(1, self.threads)

    def _do_parts(self, plugin: str) -> None:
        left = collections.deque(_Part(name) for name in self.campaign.parts)
        ended: queue.SimpleQueue[Future[None]] = queue.SimpleQueue()
        running: dict[Future[None], _Part] = {}
        run, number = uuid.uuid4().hex[:8], 0
        idle: float | None = None  # since when nothing runs
        try:
            while left or running:
                self.progress.show(self.done, len(self.campaign.parts), len(self.failed), self.again)
                if self.stop.is_set():
                    raise Interrupted(f"stopped: {self.done} of {len(self.campaign.parts)} parts are done")
                self._look(every=2.0 if running else 0.5)
                self._lost_workers()
                for _ in range(len(left)):
                    if len(running) >= self._window() or self._hopeless():
                        break
                    part = left.popleft()
                    if self._deadly(part):
                        left.append(part)
                        continue
                    fit = [a for a in self.addresses if a not in part.avoid] if part.avoid else []
                    number += 1
                    future = self.client.submit(
                        _work, plugin, part.name, key=(f"zmigrate-{run}", number), pure=False,
                        workers=fit or None, allow_other_workers=bool(fit),
                    )  # fmt: skip
                    running[future] = part
                    future.add_done_callback(ended.put)
                    idle = None
                if not running:
                    if self._hopeless():
                        return
                    now = time.monotonic()
                    idle = now if idle is None else idle
                    if now - idle > min(self.patience, self.grace):
                        self.failed.update((part.name, part.message) for part in left)
                        left.clear()
                        continue
                try:
                    future = ended.get(timeout=0.5)
                except queue.Empty:
                    self._lost_scheduler()
                    continue
                again = self._ended(future, running.pop(future))
                future.release()
                if again is not None:
                    left.append(again)
            self.progress.show(self.done, len(self.campaign.parts), len(self.failed), self.again)
        finally:
            # The workers stop what is under way, because nobody wants it any more.
            if running and self._connected():
                self.client.cancel(list(running), force=True)
            self.progress.end()

    def _lost_workers(self) -> None:
        if self.alone is not None and time.monotonic() - self.alone > self.patience:
            raise WorkersLost(
                f"the cluster has had no workers for {self.patience:g} s: {self.done} of {len(self.campaign.parts)} parts are done; "
                "start some workers and give the same command again, and it does what is left"
            )

    def _hopeless(self) -> bool:
        """Whether so many parts have failed, and none was done, that all would fail."""
        return self.done == 0 and len(self.failed) >= 20

    def _ended(self, future: Future[None], part: _Part) -> _Part | None:
        """Notes how a part has ended. Returns the part if it is to be done again."""
        if future.status == "finished":
            self.done += 1
            return None
        if future.status != "error":
            self._lost_scheduler("it has cancelled the work")
        error = future.exception()
        message, worker, how = str(error), "", ""
        if isinstance(error, KilledWorker):
            worker = self._begun_on(future)
            how = "lost" if worker else "blamed"
        elif error is not None and len(error.args) == 3:
            message, worker, how = (str(a) for a in error.args)
        if how == "lost" and self._retired(worker):
            how = "again"
        if how == "lost":
            part.lost += 1
            self._look()  # whether it may be begun again depends on the workers that are left
            part.message = f"{part.lost} workers died while they did this part, {worker} was the last one"
        elif how == "blamed":
            part.blamed += 1
            part.message = f"workers died while they had this part: {error}"
        elif how != "again":
            part.failed += 1
            part.message = message
            if worker:
                part.avoid.add(worker)
        if max(part.failed, part.lost, part.blamed) > self.retries:
            self.failed[part.name] = part.message
            return None
        self.again += 1
        return part

    def _deadly(self, part: _Part) -> bool:
        """Whether a part must wait, because it may kill the last worker."""
        most = 2
        return part.lost >= most and len(self.addresses) < most

    def _begun_on(self, future: Future[None]) -> str:
        """The address of the worker that has begun a task, or ""."""
        try:
            return str(self.client.get_metadata([future.key], default=""))
        except (OSError, TimeoutError):
            return ""  # the scheduler is gone, which the next look finds

    def _retired(self, worker: str) -> bool:
        """Whether a worker that is gone was told to close, and has not died."""
        try:
            events: Any = self.client.get_events(worker) or ()
        except (OSError, TimeoutError):
            return False
        return any(isinstance(e, dict) and (e.get("action") == "closing-worker" or e.get("expected")) for _, e in events)


# What people see.


class _Progress:
    """Shows how many parts are done, on standard error: a bar on a terminal or in a notebook,
    and lines otherwise."""

    def __init__(self, name: str, how: str = "auto", out: TextIO | None = None) -> None:
        self.name, self.out = name, out or sys.stderr
        self.began = self.shown = time.monotonic()
        self.last = ""
        self.widget: Any = None
        notebook = how == "auto" and _in_notebook()
        if notebook:
            self.widget = _widget()
        if how == "auto":
            how = "bar" if notebook or self.out.isatty() else "plain"
        self.how = how

    def say(self, text: str) -> None:
        if self.how != "none":
            print(f"{self.name}: {text}", file=self.out, flush=True)

    def show(self, done: int, of: int, failed: int, again: int) -> None:
        now = time.monotonic()
        whole = done + failed == of
        pause = 10.0 if self.how == "plain" else 0.2
        if self.how == "none" or (now - self.shown < pause and not whole and self.last):
            return
        text = f"{self.name}: {done} of {of} parts"
        if again:
            text += f", {again} begun again"
        if failed:
            text += f", {failed} failed"
        if 0 < done < of:
            text += f", {_time((now - self.began) / done * (of - done))} left"
        if text == self.last:
            return
        self.shown, self.last = now, text
        if self.widget is not None:
            self.widget.max, self.widget.value, self.widget.description = of, done, text
        elif self.how == "bar":
            width = 24
            full = width * done // max(1, of)
            print(f"\r[{'#' * full}{'.' * (width - full)}] {text}\x1b[K", end="", file=self.out, flush=True)
        else:
            print(text, file=self.out, flush=True)

    def end(self) -> None:
        if self.how == "bar" and self.widget is None and self.last:
            print(file=self.out, flush=True)


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _in_notebook() -> bool:
    try:
        from IPython import get_ipython  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return False
    return type(get_ipython()).__name__ == "ZMQInteractiveShell"


def _widget() -> Any:
    """Returns a bar of ipywidgets, or None without them."""
    try:
        from IPython.display import display  # type: ignore[import-not-found, unused-ignore]
        from ipywidgets import IntProgress  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    bar = IntProgress(style={"description_width": "initial"}, layout={"width": "90%"})
    display(bar)
    return bar


# The interface for programs and notebooks.


def find_program(program: str | None = None) -> str:
    """Returns the path of the program zmigrate.

    The wheel of this package has put it beside this Python. Otherwise it is looked for on the
    PATH. `program` is another name or path. The error is ProgramMissing.
    """
    try:
        return os.path.abspath(_found([program or "zmigrate"]))
    except FileNotFoundError:
        name = program or "zmigrate"
        raise ProgramMissing(f"there is no program {name}: pip install zmigrate brings it, or name another one by program=") from None


def migrate(
    client: Client,
    job: str | os.PathLike[str],
    *,
    set: Mapping[str, Any] | None = None,
    bundles: int | None = None,
    slots: int | None = None,
    retries: int = 3,
    program: str | None = None,
    worker_program: str | None = None,
    patience: float = 600,
    progress: str = "auto",
) -> dict[str, Any]:
    """Migrates what a job file describes, by the workers of a Dask cluster.

    If an earlier call was interrupted, this one does what is left. The result is the summary that
    `zmigrate finish --json` prints; its `nothing_to_do` is true if the job was complete.

    client: a client of the cluster. Each worker sees the job file, the source, the target and the
        checkpoint at the same paths or URLs.
    set: fields of the job file to replace, such as {"target.url": "s3://bucket/x.zarr"}. A value may
        be a path.
    bundles: how many parts the work is divided into; by default, a part has about 4 GiB of data.
    slots: how many parts are done at the same time, at most; by default, one for each thread of
        the cluster's workers.
    retries: how often a part is tried again when it fails.
    program: the program zmigrate of this machine, see find_program.
    worker_program: the program of the workers' machines; by default, that of this machine, or
        else the one that find_program finds there.
    patience: how many seconds to wait for a worker while the cluster has none.
    progress: auto, bar, plain or none.

    The errors are of the class ZmigrateError.
    """
    if slots is not None and slots < 1:
        raise ValueError(f"slots={slots}: want 1 or more")
    if retries < 0:
        raise ValueError(f"retries={retries}: want 0 or more")
    if progress not in ("auto", "bar", "plain", "none"):
        raise ValueError(f"progress={progress!r}: want auto, bar, plain or none")
    here = find_program(program)
    arguments = ["submit", os.fspath(job), "--engine", "dask", "--dry-run"]
    for name, value in (set or {}).items():
        arguments += ["--set", f"{name}={json.dumps(value, ensure_ascii=False, default=os.fspath)}"]
    if bundles is not None:
        arguments += ["--bundles", str(bundles)]
    if worker_program is not None:
        arguments += ["--program", worker_program]
    saved = _command(here, arguments, "campaign")
    if saved.get("event") != "campaign":
        return saved
    campaign = _Campaign.of(saved)
    _Driver(client, campaign, slots, retries, patience, _Progress(campaign.name, progress), threading.Event()).run()
    return _finish(here, campaign)


def _finish(program: str, campaign: _Campaign) -> dict[str, Any]:
    """Finishes the job. Processes of workers that were lost may need a while to end."""
    return _command(program, [*campaign.finish, "--wait", "1m"], "summary")


def _command(program: str, arguments: Sequence[str], event: str) -> dict[str, Any]:
    """Runs a command of zmigrate and returns the last event of the given kind, or a summary."""
    ran = subprocess.run(
        [program, *arguments, "--json", "--progress", "none"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    messages = ran.stderr.decode(errors="replace")
    result: dict[str, Any] = {}
    for e in _events(ran.stdout):
        if e.get("event") == "error":
            raise CommandFailed(str(e.get("error")), int(e.get("status", 1)), e.get("problems") or ())
        if e.get("event") in (event, "summary"):
            result = e
    if ran.returncode != 0 or not result:
        raise CommandFailed(messages.strip() or f"{program} ended with status {ran.returncode}", ran.returncode or 1)
    if messages:
        print(messages, end="", file=sys.stderr, flush=True)
    return result


# The driver of `zmigrate submit`.


def _submitted(request: Mapping[str, Any]) -> dict[str, Any]:
    """Does a campaign for `zmigrate submit`, and returns how it has ended. Standard input ends
    when the driver is to stop."""
    stop = threading.Event()
    threading.Thread(target=_stop_at_end_of_input, args=[stop], daemon=True).start()
    campaign = _Campaign.of(request["campaign"])
    driver: _Driver | None = None
    try:
        with _connect(str(request["address"]), float(request["connect"])) as client:
            driver = _Driver(
                client, campaign, request["slots"] or None, int(request["retries"]), float(request["patience"]),
                _Progress(campaign.name, str(request["progress"])), stop,
            )  # fmt: skip
            driver.run()
    except ZmigrateError as e:
        return {"event": "end", "error": str(e), "status": e.status}
    return {"event": "end", "done": driver.done, "again": driver.again}


def _connect(address: str, seconds: float) -> Client:
    """Connects to a scheduler: its address, or the file that it has written its address to."""
    file = address.endswith(".json") and "://" not in address
    if file and not os.path.exists(address):
        raise ClusterError(f"--address {address}: there is no such file: start the scheduler with --scheduler-file {address}")
    make: Callable[..., Client] = Client
    try:
        how = {"scheduler_file": address} if file else {"address": address}
        return make(**how, timeout=seconds, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as e:
        raise ClusterError(
            f"--address {address}: no Dask scheduler answers there ({type(e).__name__}: {_first_line(e)}): "
            "start one with dask scheduler, and take the address that it prints, such as tcp://10.0.0.1:8786"
        ) from None


def _first_line(e: BaseException) -> str:
    return (str(e).splitlines() or [""])[0]


def _stop_at_end_of_input(stop: threading.Event) -> None:
    # A thread that waits within a buffered read would keep Python from ending.
    while os.read(sys.stdin.fileno(), 1 << 16):
        pass
    stop.set()
    # Whatever hangs then, such as a call of a scheduler that does not answer, is given up.
    timer = threading.Timer(20, os._exit, [SchedulerLost.status])
    timer.daemon = True
    timer.start()
