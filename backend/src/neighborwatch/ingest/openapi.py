"""What the API's description says of ingest, which FastAPI does not see."""

from typing import Any

from neighborwatch.ingest.endpoint import CONTENT_TYPE, PATH

_ANSWERS = {
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


def describe_ingest(description: dict[str, Any]) -> None:
    """Adds the path to an OpenAPI document."""
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}
    description["paths"][PATH] = {
        "post": {
            "tags": ["ingest"],
            "operationId": "ingest",
            "summary": "Store windows of one host",
            "description": "For agents. Body: neighborwatch.v1.IngestRequest (agent/proto), "
            "optionally with Content-Encoding: zstd. Sending the same batches again changes "
            "nothing.",
            "security": [{"HostToken": []}],
            "requestBody": {
                "required": True,
                "content": {CONTENT_TYPE: {"schema": {"type": "string", "format": "binary"}}},
            },
            "responses": {
                status: {"description": text, **({} if status == "204" else {"content": problem})}
                for status, text in _ANSWERS.items()
            },
        }
    }
    schemes = description.setdefault("components", {}).setdefault("securitySchemes", {})
    schemes["HostToken"] = {"type": "http", "scheme": "bearer", "bearerFormat": "nwh_..."}
