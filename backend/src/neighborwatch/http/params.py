"""Ids in paths and filters, checked before any query sees them."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Path, Query

from neighborwatch.http.errors import bad_field
from neighborwatch.measures.ids import CgroupRef, parse_container_id, parse_host_id

_HOST_EXAMPLE = "7"
_CONTAINER_EXAMPLE = "7-00c0ffee00c0ffee"


def host_path(
    host_id: Annotated[str, Path(alias="id", max_length=64, examples=[_HOST_EXAMPLE])],
) -> int:
    try:
        return parse_host_id(host_id)
    except ValueError as error:
        raise bad_field("id", str(error)) from error


def host_filter(
    host_id: Annotated[
        str | None,
        Query(max_length=64, description="Only this host.", examples=[_HOST_EXAMPLE]),
    ] = None,
) -> int | None:
    try:
        return None if host_id is None else parse_host_id(host_id)
    except ValueError as error:
        raise bad_field("host_id", str(error)) from error


def container_path(
    container_id: Annotated[str, Path(alias="id", max_length=64, examples=[_CONTAINER_EXAMPLE])],
) -> CgroupRef:
    try:
        return parse_container_id(container_id)
    except ValueError as error:
        raise bad_field("id", str(error)) from error


def container_filter(name: str, description: str) -> Callable[[str | None], CgroupRef | None]:
    """The dependency of one optional query parameter that names a container."""

    def dependency(
        container_id: Annotated[
            str | None,
            Query(
                alias=name, max_length=64, description=description, examples=[_CONTAINER_EXAMPLE]
            ),
        ] = None,
    ) -> CgroupRef | None:
        try:
            return None if container_id is None else parse_container_id(container_id)
        except ValueError as error:
            raise bad_field(name, str(error)) from error

    return dependency


HostPath = Annotated[int, Depends(host_path)]
HostFilter = Annotated[int | None, Depends(host_filter)]
ContainerPath = Annotated[CgroupRef, Depends(container_path)]
