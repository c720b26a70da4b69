"""Sweeps on a cluster of Dask: `ac.sweep(..., on=client)`, `ackclock sweep ... --on dask://scheduler:8786`.

The workers need this package, in the same version, and nothing else: what the scenario reads is sent to them. The rows come back to
the folder of the sweep as they are finished, so that it can be resumed anywhere, with or without a cluster.
"""

from __future__ import annotations

import os
import queue
import time
import uuid
from typing import TYPE_CHECKING, Any, Protocol

from ackclock import _core
from ackclock._errors import OutsideError, UsageError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Cluster", "Dask", "connect", "work"]


class Cluster(Protocol):
    """What does chunks of the runs of a sweep in other processes. An engine other than Dask needs these three methods, and nothing else.

    >>> import ackclock as ac
    >>> from ackclock import cluster
    >>> class Here:
    ...     '''A cluster that is this process.'''
    ...     def begin(self, task):
    ...         self.task, self.chunks = task, []
    ...         return 1
    ...     def submit(self, number, chunk):
    ...         self.chunks.append((number, chunk))
    ...     def next(self, patience_s):
    ...         number, chunk = self.chunks.pop()
    ...         return number, cluster.work(self.task, chunk, "here"), ""
    >>> sweep = ac.sweep(ac.examples.two_flows(), vary={"queue.buffer": ["10 packets", "40 packets"]}, on=Here(), out="results/here")
    >>> len(sweep.runs)
    2
    """

    def begin(self, task: str) -> int:
        """Keeps what all chunks have in common, and returns how many chunks are done at a time. Raises if the cluster cannot be reached."""
        ...

    def submit(self, number: int, chunk: str) -> None:
        """Hands out a chunk: some process is to call `work(task, chunk)`. Raises if the cluster cannot be reached any more."""
        ...

    def next(self, patience_s: float) -> tuple[int, str | None, str] | None:
        """Waits at most so long for a chunk that is done, and returns its number and what `work` returned; or its number, None and why no
        process did it: it is handed out again. None if no chunk is done yet. Raises if the cluster cannot be reached any more."""
        ...


def work(task: str, chunk: str, worker: str, threads: int = 1) -> str:
    """Does a chunk of runs in the process that calls it, on so many threads. `worker` is what messages call it. Errors are in the text.

    It is called as `Cluster` shows.

    >>> from ackclock import cluster
    >>> import json
    >>> json.loads(cluster.work("{}", "{}", "here"))["refused"]
    'the worker here cannot read what it was sent: missing field `ackclock` at line 1 column 2'
    """
    return _core.work_on(task, chunk, threads, worker)


def connect(address: str) -> Cluster:
    """The cluster at an address: "dask://scheduler:8786", or the path of the file of a scheduler of Dask, which ends with .json.

    Raises:
        UsageError: it is no address, or `distributed` is not installed.
        OutsideError: no scheduler answers there.

    >>> from ackclock import cluster
    >>> cluster.connect("scheduler:8786")
    Traceback (most recent call last):
        ...
    ackclock.UsageError: 'scheduler:8786' is no address of a cluster; write it as "dask://scheduler:8786"
    """
    distributed = _distributed()
    scheme, _, place = address.partition("://")
    if address.endswith(".json"):
        if not os.path.exists(address):
            raise OutsideError(f"there is no file `{address}` of a scheduler", "start one with --scheduler-file, and give its file")
        where: dict[str, Any] = {"scheduler_file": address}
    elif scheme in ("dask", "tcp", "tls") and place:
        where = {"address": f"tcp://{place}" if scheme == "dask" else address}
    else:
        raise UsageError(f"{address!r} is no address of a cluster", 'write it as "dask://scheduler:8786"')
    try:
        client = distributed.Client(timeout=_PATIENCE_S, set_as_default=False, **where)
    except (OSError, TimeoutError, ValueError) as error:
        raise OutsideError(f"no scheduler of Dask answers at {address}: {error}", "look whether it is there: dask scheduler") from error
    return Dask(client, is_own=True)


def cluster_of(on: object) -> Cluster | None:
    """The cluster that `on` stands for: an address, a client or a cluster of Dask, or an object with the methods of Cluster. None and
    "local": this machine."""
    if on is None or on == "local":
        return None
    if isinstance(on, str):
        return connect(on)
    if all(hasattr(on, name) for name in ("begin", "submit", "next")):
        return on  # type: ignore[return-value]
    if hasattr(on, "scheduler_info") and hasattr(on, "submit"):
        return Dask(on)
    if hasattr(on, "scheduler_address"):
        return Dask(_distributed().Client(on, set_as_default=False), is_own=True)
    raise UsageError(f"on={on!r} is no cluster", 'give a client of Dask, a cluster of Dask, or an address as "dask://scheduler:8786"')


class Dask:
    """Chunks of runs as tasks of Dask. What a lost worker had, Dask gives to another one.

    `ac.sweep(..., on=client)` makes one. It is made by hand to know more of the chunks:

    >>> from ackclock import cluster
    >>> class Counted(cluster.Dask):
    ...     chunks = 0
    ...     def submit(self, number, chunk):
    ...         super().submit(number, chunk)
    ...         self.chunks += 1
    >>> issubclass(Counted, cluster.Dask)
    True
    """

    def __init__(self, client: Client | Any, *, is_own: bool = False) -> None:
        """Uses a client of Dask, which is closed after the sweep if it `is_own`."""
        self._client, self._is_own = client, is_own
        self._ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._futures: dict[int, Any] = {}
        self._name, self._task = "", ""
        self._alone_since: float | None = None
        self._looked = 0.0

    def begin(self, task: str) -> int:
        """Waits for a worker; as many chunks are done at a time as the workers have threads."""
        # Numbers of chunks begin anew where the number of seeds depends on the runs; a key stands for one task for ever.
        self._name, self._task = uuid.uuid4().hex[:12], task
        if self._client.status != "running":
            raise OutsideError("the client of the cluster is closed", "give one that is open, or the address of the scheduler")
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE_S)
        except (TimeoutError, OSError, ValueError) as error:
            raise OutsideError(
                f"the cluster has no workers: none came within {_PATIENCE_S} s", "start some: dask worker tcp://scheduler:8786"
            ) from error
        return self._threads()

    def submit(self, number: int, chunk: str) -> None:
        """Makes a task of a chunk."""
        self._look()
        key = f"ackclock-{self._name}-{number}"
        future = self._client.submit(_of_dask, self._task, chunk, key=key, pure=False)
        self._futures[number] = future
        future.add_done_callback(lambda _, number=number: self._ended.put(number))

    def next(self, patience_s: float) -> tuple[int, str | None, str] | None:
        """A chunk whose task has ended."""
        try:
            number = self._ended.get(timeout=patience_s)
        except queue.Empty:
            self._look()
            return None
        future = self._futures.pop(number)
        if future.status == "finished":
            try:
                return number, future.result(timeout=_PATIENCE_S), ""
            except Exception as error:  # Whatever it is, the chunk is not here, and is done again.
                return number, None, _said(error)
        self._look()
        if future.status == "error":
            return number, None, _said(future.exception(timeout=_PATIENCE_S))
        return number, None, f"the chunk is {future.status}"

    def close(self) -> None:
        """Lets go of the chunks that are still handed out, and of the client if it was made for the sweep."""
        futures, self._futures = list(self._futures.values()), {}
        try:
            if futures and self._client.status == "running":
                self._client.cancel(futures, force=True)
            if self._is_own:
                self._client.close(timeout=_PATIENCE_S)
        except (OSError, TimeoutError, RuntimeError):
            # Whatever it is, there is nothing left to be let go of.
            pass

    def _threads(self) -> int:
        return sum(self._client.nthreads().values())

    def _look(self) -> None:
        """Raises if the scheduler went away, or if all workers did and none came back."""
        if self._client.status not in ("running", "newly-created"):
            if self._alone_since is None:
                self._alone_since = time.monotonic()
            if self._client.status == "closed" or time.monotonic() - self._alone_since > _PATIENCE_S:
                raise ConnectionError("the scheduler of the cluster went away")
            return
        # The client is told when the scheduler goes away. For workers the scheduler has to be asked: the answer grows with their number and
        # takes processor time that workers on the same machine would have.
        if time.monotonic() - self._looked < _LOOK_EVERY_S:
            return
        self._looked = time.monotonic()
        if self._client.scheduler_info(n_workers=-1)["workers"]:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > 3 * _PATIENCE_S:
            raise ConnectionError("all workers of the cluster went away")


def _of_dask(task: str, chunk: str) -> str:
    """Runs in a worker of Dask."""
    import socket

    try:
        from distributed import get_worker

        worker = f"{get_worker().address} ({socket.gethostname()})"
    except ValueError:
        worker = socket.gethostname()
    try:
        return work(task, chunk, worker)
    except Exception as error:
        # A traceback that cannot be sent, as a very long one, would let the client wait for ever: this one is short.
        problem = _said(error)
    raise RuntimeError(problem)


def _said(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}"


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise UsageError("the package distributed is not installed", "pip install 'ackclock[dask]'") from None
    return distributed


_PATIENCE_S = 10
_LOOK_EVERY_S = 3
