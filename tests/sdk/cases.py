"""What a case is, and the two ways to fail one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Raised = TypeVar("Raised", bound=Exception)


@dataclass
class Case:
    """Something that a client does."""

    name: str
    run: Callable[[], None]
    # Requests in it that the server is meant to complain about.
    complains: int = 0


def expect(found: Any, wanted: Any) -> None:
    if found != wanted:
        raise AssertionError(f"found {found!r}, wanted {wanted!r}")


def raises(kind: type[Raised], what: Callable[[], Any]) -> Raised:
    try:
        found = what()
    except kind as error:
        return error
    raise AssertionError(f"found {found!r}, wanted {kind.__name__}")
