"""What ingest counts. Refused input is as visible as what was stored."""

from prometheus_client import Counter, Histogram

REQUESTS = Counter(
    "nw_ingest_requests_total",
    "Ingest requests by what became of them",
    ["result"],
)
BATCHES = Counter(
    "nw_ingest_batches_total",
    "Batches by what became of them; late (beyond retention) and future ones are acknowledged"
    " and dropped, so that they do not block the stream",
    ["result"],
)
ROWS = Counter("nw_ingest_rows_total", "Rows stored", ["table"])
DUPLICATE_ROWS = Counter(
    "nw_ingest_duplicate_rows_total",
    "Rows that were there already though their batch was new (two windows of one start)",
    ["table"],
)
BYTES = Counter("nw_ingest_bytes_total", "Bytes as received and after expansion", ["kind"])
LOST_BATCHES = Counter("nw_ingest_lost_batches_total", "Batches that agents said can never be sent")
EVENTS_LOST = Counter(
    "nw_ingest_events_lost_total",
    "Events that never left their hosts, as agents said. Stored and duplicate ones are rows of the"
    " table events",
    ["reason"],
)
LIVE_WINDOWS = Counter(
    "nw_ingest_live_windows_total",
    "Live windows by what became of them; unasked ones are dropped",
    ["result"],
)
PARTITION_MISSES = Counter(
    "nw_ingest_partition_misses_total", "Windows for which a partition had to be made on demand"
)
REQUEST_SECONDS = Histogram(
    "nw_ingest_request_seconds",
    "From the head of a request to its answer",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
TRANSACTION_SECONDS = Histogram(
    "nw_ingest_transaction_seconds",
    "One transaction of a writer",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
TRANSACTION_REQUESTS = Histogram(
    "nw_ingest_transaction_requests",
    "Requests (hosts) that shared one transaction",
    buckets=(1, 2, 5, 10, 20, 50, 100, 200, 400),
)
