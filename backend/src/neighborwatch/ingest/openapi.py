"""What the API's description says of ingest, which FastAPI does not see."""

from typing import Any

from neighborwatch.ingest.endpoint import CONTENT_TYPE, LIVE_PATH, PATH

_ANSWERS = {
    "200": "As 204, and somebody looks at this host: neighborwatch.v1.IngestAnswer says for how "
    "long live windows are wanted.",
    "204": "Stored and durable, or known already. Windows beyond the retention, or ahead of the "
    "backend's clock by more than 5 min, are acknowledged, dropped and counted in /metrics.",
    "400": "Malformed; `errors` names the field. Set the batch aside, it can never be stored.",
    "401": "No host token, or an unknown or revoked one.",
    "403": "The token belongs to another host.",
    "409": "Batches are missing before the first one; `expected_sequence` says from where.",
    "413": "Larger than 1 MiB as sent, or 4 MiB expanded (NW_INGEST_MAX_*).",
    "415": "Another content type or encoding.",
    "429": "Busy, or too many wrong tokens; see Retry-After.",
    "503": "The database does not answer; nothing was stored. See Retry-After.",
}


_LIVE_ANSWERS = {
    "204": "Taken, to be shown for two minutes; not durable. Windows that nobody asked for are "
    "dropped and counted in /metrics.",
    **{status: _ANSWERS[status] for status in ("400", "401", "403", "413", "415", "429", "503")},
}


def describe_ingest(description: dict[str, Any]) -> None:
    """Adds the path to an OpenAPI document."""
    description["paths"][PATH] = {
        "post": _operation(
            "ingest",
            summary="Store windows of one host",
            description="For agents. Body: neighborwatch.v1.IngestRequest (agent/proto), "
            "optionally with Content-Encoding: zstd. Sending the same batches again changes "
            "nothing.",
            answers=_ANSWERS,
        )
    }
    description["paths"][LIVE_PATH] = {
        "post": _operation(
            "ingest_live",
            summary="Show windows of one second of one host",
            description="For agents, while IngestAnswer asked for it. Body: "
            "neighborwatch.v1.LiveRequest (agent/proto), at most 10 windows, optionally with "
            "Content-Encoding: zstd. Not numbered, not durable.",
            answers=_LIVE_ANSWERS,
        )
    }
    schemes = description.setdefault("components", {}).setdefault("securitySchemes", {})
    schemes["HostToken"] = {"type": "http", "scheme": "bearer", "bearerFormat": "nwh_..."}


def _operation(
    operation_id: str, *, summary: str, description: str, answers: dict[str, str]
) -> dict[str, Any]:
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}
    protobuf = {CONTENT_TYPE: {"schema": {"type": "string", "format": "binary"}}}
    content = {"200": {"content": protobuf}, "204": {}}
    return {
        "tags": ["ingest"],
        "operationId": operation_id,
        "summary": summary,
        "description": description,
        "security": [{"HostToken": []}],
        "requestBody": {"required": True, "content": protobuf},
        "responses": {
            status: {"description": text, **content.get(status, {"content": problem})}
            for status, text in answers.items()
        },
    }
