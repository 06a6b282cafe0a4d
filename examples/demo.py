"""`make demo`: plan a day of deliveries in a city, live, and leave the routes and their picture in out/."""

from __future__ import annotations

import sys
from pathlib import Path

from city import city

from lgs import cli, io

SECONDS = 15
OUT = Path(__file__).parent.parent / "out"


def main() -> None:
    OUT.mkdir(exist_ok=True)
    file, routes, picture = OUT / "city.vrp", OUT / "city.sol", OUT / "city.png"
    io.write(file, city())
    print(f"{file}: 100 customers, vans of 400 kg; the best routes in {SECONDS} s:", flush=True)
    sys.argv = ["lgs", "solve", str(file), "--time", str(SECONDS), "--out", str(routes), "--plot", str(picture)]
    cli.main()


if __name__ == "__main__":
    main()
