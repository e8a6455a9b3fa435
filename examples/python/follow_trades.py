"""Prints every trade, each once and in order, and goes on where it stopped:

    python3 follow_trades.py http://127.0.0.1:3000 position.txt minWeth=0.1
"""

import os
import signal
import sys

from tokenwire import Tokenwire


def read_position(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read() or None
    except FileNotFoundError:
        return None


def store_position(path, position):
    # As a whole: a crash leaves the old position or the new one.
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(position)
    os.replace(f"{path}.new", path)


def main(url, path, *filters):
    client = Tokenwire(url)
    for event in client.follow("trades", read_position(path), **dict(one.split("=", 1) for one in filters)):
        if event.type == "reorg":
            print("void from block", event.message["fromBlock"], flush=True)
        for trade in event.message.get("data", []):
            # Do here what has to be done. After a crash a trade may come again: its id tells.
            print(trade["id"], trade["side"], trade["amountWeth"], trade["token"], flush=True)
        if event.position is not None:
            store_position(path, event.position)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    main(*sys.argv[1:])
