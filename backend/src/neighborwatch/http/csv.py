"""The rows of a list as CSV: the same fields as in JSON, all pages, streamed."""

import csv
import io
import itertools
import json
from collections.abc import Iterator, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, get_args

from fastapi import Depends, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

MEDIA_TYPE = "text/csv"
# Spreadsheets take a cell that starts with one of these for a formula; a name is never one.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
# The CSV face of a list stands in its description, not beside the JSON schema: generated clients
# would type every answer as "rows or text".
CSV_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {"description": "One page; with `Accept: text/csv` all rows, units in the header."}
}


def wants_csv(request: Request) -> bool:
    """Only who names CSV gets it; browsers and `*/*` get JSON."""
    accepted = [part.split(";")[0].strip() for part in request.headers.get("accept", "").split(",")]
    return MEDIA_TYPE in accepted and "application/json" not in accepted


WantsCsv = Annotated[bool, Depends(wants_csv)]


def columns_of(model: type[BaseModel], prefix: str = "") -> list[str]:
    """A nested object becomes columns with its name in front; lists stay one cell of JSON."""
    columns: list[str] = []
    for name, field in model.model_fields.items():
        nested = _nested_model(field.annotation)
        columns += columns_of(nested, f"{prefix}{name}_") if nested else [prefix + name]
    return columns


def csv_response(
    chunks: Iterator[Sequence[BaseModel]], model: type[BaseModel], *, filename: str
) -> StreamingResponse:
    # The first chunk is asked for here: if the query fails, the answer is still a problem.
    first = list(itertools.islice(chunks, 1))
    lines = _lines(itertools.chain(first, chunks), columns_of(model))
    return StreamingResponse(
        lines,
        media_type=f"{MEDIA_TYPE}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{filename}"', "Vary": "Accept"},
    )


def _lines(chunks: Iterator[Sequence[BaseModel]], columns: Sequence[str]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    for chunk in chunks:
        for item in chunk:
            cells = _flat(item.model_dump(mode="json"))
            writer.writerow([_cell(cells.get(name)) for name in columns])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _flat(values: dict[str, object], prefix: str = "") -> dict[str, object]:
    cells: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            cells |= _flat(value, f"{prefix}{name}_")
        else:
            cells[prefix + name] = value
    return cells


def _cell(value: object) -> object:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return "" if value is None else value


def _nested_model(annotation: object) -> type[BaseModel] | None:
    options = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    for option in options:
        if option is not NoneType and isinstance(option, type) and issubclass(option, BaseModel):
            return option
    return None
