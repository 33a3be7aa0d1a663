"""Ids survive the way out and back in."""

import pytest

from neighborwatch.measures.ids import CgroupRef, parse_container_id, parse_host_id


@pytest.mark.parametrize("ref", [CgroupRef(1, 0), CgroupRef(7, 0xC0FFEE), CgroupRef(9, 2**63 - 1)])
def test_container_ids_round_trip(ref: CgroupRef) -> None:
    assert parse_container_id(str(ref)) == ref


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "7-",
        "-00c0ffee00c0ffee",
        "7-00C0FFEE00C0FFEE",
        "7-00c0ffee00c0ffee0",
        "0-00c0ffee00c0ffee",
        "7-8000000000000000",  # 64 bits
        "9223372036854775808-0000000000000001",
    ],
)
def test_other_texts_are_no_container_id(text: str) -> None:
    with pytest.raises(ValueError, match="container ids look like 7-00c0ffee00c0ffee"):
        parse_container_id(text)


@pytest.mark.parametrize("text", ["", "0", "-1", "07", "h1", "9223372036854775808", "1" * 30])
def test_other_texts_are_no_host_id(text: str) -> None:
    with pytest.raises(ValueError, match="host ids are numbers such as 7"):
        parse_host_id(text)
