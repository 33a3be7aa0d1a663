"""Undoes a request's compression without ever making more than the limit. PURE."""

import zstandard

# The largest window that a frame may ask for: zstd -19 uses 8 MiB.
_MAX_WINDOW_BYTES = 8 << 20


class TooLargeError(ValueError):
    """Expands beyond the limit."""


class DamagedError(ValueError):
    """Is not what its encoding says."""


def expand(body: bytes, encoding: str, *, max_bytes: int) -> bytes:
    """`encoding` is `identity` or `zstd`."""
    if encoding == "identity":
        if len(body) > max_bytes:
            raise TooLargeError
        return body
    try:
        return _expand_zstd(body, max_bytes)
    except zstandard.ZstdError as error:
        raise DamagedError(f"not a complete zstd frame ({error})") from error


def _expand_zstd(body: bytes, max_bytes: int) -> bytes:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES)
    # The head's own word on the size is not trusted: reading stops one byte past the limit.
    with decompressor.stream_reader(body, read_across_frames=False) as reader:
        expanded = reader.read(max_bytes + 1)
    if len(expanded) > max_bytes:
        raise TooLargeError
    # A reader ends silently where input ends; this notices a cut frame and bytes after it.
    check = decompressor.decompressobj()
    check.decompress(body)
    if not check.eof:
        raise DamagedError("the zstd frame is cut off")
    if check.unused_data:
        raise DamagedError("there is more than one zstd frame")
    return expanded
