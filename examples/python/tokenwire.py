"""A client of Tokenwire for Python 3.9 and newer, of the standard library alone.

REST answers are the dictionaries that /openapi.json describes. Amounts and prices are strings: give them to decimal.Decimal or int, since a
float would lose digits. Channels come as server-sent events, which carry the same messages as the WebSocket.
"""

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Iterator, NamedTuple, Optional

# The service sends a comment every 15 seconds: a stream that is silent for longer is dead.
SILENCE_SECONDS = 45
FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 30


class Problem(Exception):
    """A refused request. `code` is stable, `detail` is for people, `retry_after` is in seconds or None."""

    def __init__(self, status: int, code: str, detail: str, retry_after: Optional[float]):
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.retry_after = retry_after

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status == 429 or self.status >= 500


class Event(NamedTuple):
    """A message of a channel, and the position behind it."""

    type: str
    message: Dict[str, Any]
    # Resumes behind this message.
    position: Optional[str]


class Tokenwire:
    def __init__(self, url: str, api_key: Optional[str] = None, timeout: float = 30):
        self.url = url.rstrip("/")
        self.timeout = timeout
        self.headers = {"Accept": "application/json", "User-Agent": "tokenwire-python"}
        if api_key is not None:
            self.headers["X-Api-Key"] = api_key

    def get(self, path: str, **parameters: Any) -> Dict[str, Any]:
        """The answer of a path: get("/api/tokens", sort="marketCap", limit=5). `from_` stands for `from`. Raises Problem."""
        with self._open(path, parameters, {}, self.timeout) as response:
            return json.load(response)

    def items(self, path: str, **parameters: Any) -> Iterator[Dict[str, Any]]:
        """All rows of a list, page by page, as long as the caller asks for more."""
        for page in self.pages(path, **parameters):
            yield from page["data"]

    def pages(self, path: str, **parameters: Any) -> Iterator[Dict[str, Any]]:
        """The pages of a list, as long as the caller asks for more."""
        while True:
            page = self.get(path, **parameters)
            yield page
            if page["nextCursor"] is None:
                return
            # A cursor is a place: it replaces the parameter that said where to begin.
            parameters = {name: value for name, value in parameters.items() if name != "after"}
            parameters["cursor"] = page["nextCursor"]

    def follow(self, channel: str, position: Optional[str] = None, **filters: Any) -> Iterator[Event]:
        """The events of `trades`, `launches`, `graduations` or `crossings` for ever, each once and in order.

        Begins behind `position`, which the caller has stored with what it did; without one, with what comes next. Connects again by itself.
        `reorg` says that the events of `fromBlock` and later blocks are void; their replacements follow. What is missing because there was
        too much of it is read over REST for `trades`, and told as `gap` for the other channels. Raises Problem for what will never succeed.
        """
        failures = 0
        while True:
            delay = None
            try:
                for event in self._events(channel, position, filters):
                    failures = 0
                    for one in self._repaired(event, filters) if channel == "trades" else [event]:
                        yield one
                        position = one.position or position
            except Problem as problem:
                if not problem.is_passing:
                    raise
                delay = problem.retry_after
            except (OSError, ValueError, http.client.HTTPException):
                # The connection broke, or a line was cut: the next one goes on behind the last whole event.
                pass
            failures += 1
            # Spread out, since all clients connect again after a restart.
            time.sleep(delay or random.uniform(0.5, 1) * min(FIRST_DELAY_SECONDS * 2**failures, LONGEST_DELAY_SECONDS))

    def _events(self, channel: str, position: Optional[str], filters: Dict[str, Any]) -> Iterator[Event]:
        headers = {"Accept": "text/event-stream"}
        if position is not None:
            headers["Last-Event-ID"] = position
        with self._open("/api/stream", {"channel": channel, **filters}, headers, SILENCE_SECONDS) as stream:
            fields: Dict[str, str] = {}
            for bytes_of_line in stream:
                line = bytes_of_line.decode().rstrip("\r\n")
                name, _, value = line.partition(":")
                if name != "":
                    fields[name] = value[1:] if value.startswith(" ") else value
                elif line == "":
                    if "data" in fields:
                        yield Event(fields.get("event", "message"), json.loads(fields["data"]), fields.get("id", position))
                    fields = {}

    def _repaired(self, event: Event, filters: Dict[str, Any]) -> Iterator[Event]:
        """The trades of a gap in its place. Raises OSError when REST is answered by a service that is behind the channel."""
        if event.type != "gap":
            yield event
            return
        begin, end, reorgs = event.message["from"], event.message["to"].split("-")[0], event.message["reorgs"]
        asked = {"launchpad" if name == "launchpads" else name: value for name, value in filters.items()}
        for page in self.pages("/api/trades", order="asc", limit=500, after=begin, toBlock=end, **asked):
            if int(page["asOfBlock"] or 0) < int(end):
                raise OSError(f"the trades are as of block {page['asOfBlock']}, and the channel has reached {end}")
            for trade in page["data"]:
                yield Event("trades", {"type": "trades", "block": trade["blockNumber"], "data": [trade]}, f"{trade['id']}-{reorgs}")
        yield Event("gap.read", event.message, event.position)

    def _open(self, path: str, parameters: Dict[str, Any], headers: Dict[str, str], timeout: float):
        texts = {
            name.rstrip("_"): ",".join(value) if isinstance(value, (list, tuple)) else str(value)
            for name, value in parameters.items()
            if value is not None
        }
        query = f"?{urllib.parse.urlencode(texts)}" if texts else ""
        request = urllib.request.Request(self.url + path + query, headers={**self.headers, **headers})
        try:
            return urllib.request.urlopen(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            raise _problem_of(error) from None


def _problem_of(error: urllib.error.HTTPError) -> Problem:
    """A proxy in front may answer with a page in place of a problem."""
    try:
        body = json.load(error)
        code, detail = str(body["code"]), str(body["detail"])
    except (ValueError, KeyError, TypeError):
        code, detail = "unknown", error.reason
    retry_after = error.headers.get("Retry-After", "")
    return Problem(error.code, code, detail, float(retry_after) if retry_after.isdigit() else None)
