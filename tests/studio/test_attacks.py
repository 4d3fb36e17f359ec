"""What others may try: each request is refused, or does no harm."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.serving import Site, served, session_of, wait_for_end, write_task

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_task(tmp_path_factory.mktemp("attacked") / "task")


@pytest.fixture(scope="module")
def site(task: Path) -> Iterator[Site]:
    session = session_of(task)
    with served(session) as site:
        wait_for_end(session)
        yield site


def test_the_page_itself_is_welcome(site: Site) -> None:
    status, text = site.ask("")
    assert status == 200
    assert b"<html" in text
    assert site.get("state")["run"]["state"] == "optimal"


# -- who asks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.:{port}", ""]
)
def test_a_rebound_name_is_refused(site: Site, host: str) -> None:
    status, text = site.ask("api/state", headers={"Host": host.format(port=site.port)})
    assert status in (400, 421)
    assert b"task" not in text


def test_two_hosts_are_refused(site: Site) -> None:
    request = f"GET {site.base}api/state HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nHost: evil.example\r\n\r\n"
    assert raw(site, request.encode()).split()[1] in (b"400", b"421")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", "file://"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_is_refused(site: Site, origin: str, method: str) -> None:
    path = "api/state" if method == "GET" else "api/undo"
    status, text = site.ask(path, method=method, body=b"{}", headers={**JSON, "Origin": origin})
    assert status == 403
    assert b"task" not in text
    assert "access-control-allow-origin" not in site.headers


def test_its_own_origin_is_welcome(site: Site) -> None:
    for name in ("127.0.0.1", "localhost"):
        headers = {"Origin": f"http://{name}:{site.port}", "Host": f"{name}:{site.port}", **JSON}
        assert site.ask("api/undo", method="POST", body=b"{}", headers=headers)[0] == 200


@pytest.mark.parametrize("site_of", ["cross-site", "same-site"])
def test_what_another_page_fetches_is_refused(site: Site, site_of: str) -> None:
    assert site.ask("api/state", headers={"Sec-Fetch-Site": site_of})[0] == 403
    assert site.ask("", headers={"Sec-Fetch-Site": site_of, "Sec-Fetch-Mode": "no-cors"})[0] == 403
    link = {"Sec-Fetch-Site": site_of, "Sec-Fetch-Mode": "navigate"}
    assert site.ask("api/state", headers={**link, "Sec-Fetch-Dest": "document"})[0] == 403
    assert site.ask("", headers={**link, "Sec-Fetch-Dest": "iframe"})[0] == 403
    assert site.ask("", headers={**link, "Sec-Fetch-Dest": "document"})[0] == 200  # a person follows a link


@pytest.mark.parametrize("path", ["/", "/api/state", "/x/api/state", "//api/state", "/%00/api/state", "/%C3%A9/"])
def test_without_the_token_nothing_is_told(site: Site, path: str) -> None:
    status, text = site.ask(path)
    assert status == 403
    assert b"<html" not in text


def test_a_form_of_another_page_cannot_post(site: Site) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert site.ask("api/undo", method="POST", body=b"{}", headers={"Content-Type": kind})[0] == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods_are_refused(site: Site, method: str) -> None:
    assert site.ask("api/state", method=method)[0] in (400, 405)


def test_a_question_changes_nothing(site: Site) -> None:
    for name in ("learn", "hold", "go-on", "decide", "undo"):
        assert site.ask(f"api/{name}")[0] == 405


def test_every_answer_says_what_a_browser_may_do(site: Site) -> None:
    for path in ("", "api/state", "nothing", "/"):
        site.ask(path)
        policy = site.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert site.headers["x-content-type-options"] == "nosniff"
        assert site.headers["referrer-policy"] == "no-referrer"
        assert site.headers["cache-control"] == "no-store"


def test_only_this_machine_is_listened_to(site: Site) -> None:
    assert site.host == "127.0.0.1"
    others = {address[4][0] for address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for other in others - {"127.0.0.1"}:
        with pytest.raises(OSError, match=r".*"), socket.create_connection((other, site.port), timeout=2):
            pass


# -- what is asked for ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "....//....//etc/passwd",
        "..\\..\\etc\\passwd", "page/../server.py", "server.py", "__init__.py", "/etc/passwd", "bias.pl", "%00",
        "index.html%00.js", "api/../../server.py", "file:///etc/passwd",
    ],
)  # fmt: skip
def test_no_path_leads_to_a_file(site: Site, path: str) -> None:
    status, text = site.ask(site.base + path)
    assert status in (400, 403, 404)
    assert b"root:" not in text
    assert b"import" not in text
    assert b"head_pred" not in text


@pytest.mark.parametrize(
    "question",
    [
        "examples?show=<script>", "examples?rule=x", "examples?offset=1e9", "examples?kind=99999999999999",
        "example", "example?number=-1", "example?number=1000000", "example?number=1;2", "export?to=../../x",
        "export?to=__import__", "export?to=sql&dialect=x", "state?since=NaN", "examples?label=1",
    ],
)  # fmt: skip
def test_a_strange_question_is_answered_by_one_line(site: Site, question: str) -> None:
    status, text = site.ask(f"api/{question}")
    assert status == 400
    assert json.loads(text)["problem"]
    assert "\n" not in json.loads(text)["problem"]
    assert site.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[", b"[]", b"1", b"null", b'"flip"', b"\xff", b'{"numbers": "all"}', b'{"numbers": [1e9]}',
        b'{"numbers": [true]}', b'{"numbers": [-1]}', b'{"numbers": [99999999]}', b'{"numbers": [0], "decision": "x"}',
        b'{"numbers": [0], "decision": ["flip"]}', b'{"numbers": [0], "decision": {}}', b"[" * 100_000,
        b'{"numbers": [' + b",".join([b"0"] * 300) + b"]}",
    ],
)  # fmt: skip
def test_a_strange_decision_decides_nothing(site: Site, task: Path, body: bytes) -> None:
    status, text = site.ask("api/decide", method="POST", body=body, headers=JSON)
    assert status == 400
    assert json.loads(text)["problem"]
    assert not task.with_name("task.labels").exists() or b"flip" not in task.with_name("task.labels").read_bytes()


# -- how much -------------------------------------------------------------------------------------------------


def test_an_oversized_body_is_refused(site: Site) -> None:
    head = f"POST {site.base}api/decide HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nContent-Type: application/json\r\n"
    assert raw(site, f"{head}Content-Length: {2 << 20}\r\n\r\n".encode() + b" " * 1000).split()[1] == b"413"


def test_an_oversized_body_without_a_length_is_refused(site: Site) -> None:
    head = (
        f"POST {site.base}api/decide HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    assert raw(site, head.encode() + chunk * 32).split()[1] == b"413"


@pytest.mark.parametrize("size", ["9", 1e9, 10**9, -1, 0, [], {}, True, "<b>"])
def test_strange_sizes_are_refused(site: Site, size: object) -> None:
    body = json.dumps({"size": size}).encode()
    status, text = site.ask("api/find-front", method="POST", body=body, headers=JSON)
    assert (status, b"Traceback" in text) == (400, False)
    assert site.get("front")["points"] == []


@pytest.mark.parametrize("length", [b"-1", b"x", b"99999999999999999999"])
def test_a_wrong_length_is_refused(site: Site, length: bytes) -> None:
    head = f"POST {site.base}api/decide HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nContent-Type: application/json\r\n"
    assert raw(site, head.encode() + b"Content-Length: " + length + b"\r\n\r\n").split()[1] in (b"400", b"413")


def test_an_oversized_address_is_refused(site: Site) -> None:
    assert site.ask("api/examples?search=" + "x" * 20_000)[0] == 414
    head = f"GET {site.base}api/state HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nX-Long: "
    assert raw(site, head.encode() + b"x" * 200_000 + b"\r\n\r\n").split()[1] in (b"400", b"431")


def test_a_thousand_at_once_do_no_harm(site: Site) -> None:
    statuses: Counter[int] = Counter()

    def ask() -> None:
        try:
            statuses[site.ask("api/examples?search=a")[0]] += 1
        except OSError:  # not taken at all
            statuses[0] += 1

    threads = [threading.Thread(target=ask) for _ in range(1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert set(statuses) <= {0, 200, 503}
    assert statuses[200] > 0
    assert site.get("state")["run"]["state"] == "optimal"


def test_connections_that_say_nothing_keep_nobody_out_for_long(site: Site) -> None:
    silent = [socket.create_connection((site.host, site.port)) for _ in range(80)]
    try:
        assert site.get("state")["run"]["state"] == "optimal"
    finally:
        for one in silent:
            one.close()


def raw(site: Site, request: bytes) -> bytes:
    """The beginning of the answer to a request that no library would send."""
    with socket.create_connection((site.host, site.port), timeout=10) as connection:
        with contextlib.suppress(OSError):  # it had enough
            connection.sendall(request)
        return connection.recv(4096)
