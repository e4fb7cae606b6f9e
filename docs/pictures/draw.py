"""Draws the pictures of the documentation. It needs Python alone:

    python3 docs/pictures/draw.py

Each picture is an SVG file with its own background, so that it can be read in light and in dark
pages. Widths are 360 units and texts are at least 11 units high, so that a phone shows them
legibly.
"""

import math
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).parent
WIDTH = 360
INK, QUIET, LINE, PAPER = "#1c2733", "#52606d", "#8795a1", "#ffffff"
BLUE, ORANGE, GREEN, GREY, RED = "#cfe3f7", "#fbd9b0", "#cdeccf", "#e6eaee", "#c2410c"
DEEP = {BLUE: "#2b6cb0", ORANGE: "#c05621", GREEN: "#2f855a", GREY: "#8795a1"}


class Picture:
    """An SVG file. Coordinates count from the upper left corner."""

    def __init__(self, name, height, title):
        self.name, self.height, self.title, self.parts = name, height, title, []

    def add(self, text):
        self.parts.append(text)

    def box(self, x, y, w, h, fill=BLUE, stroke=None, width=1.2, round=3, dash=""):
        stroke = stroke or DEEP.get(fill, LINE)
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{round}" fill="{fill}" stroke="{stroke}" stroke-width="{width}"{dash}/>')

    def text(self, x, y, text, size=12, anchor="start", fill=INK, bold=False):
        weight = ' font-weight="600"' if bold else ""
        for i, line in enumerate(text.split("\n")):
            self.add(f'<text x="{x:g}" y="{y + i * size * 1.25:g}" font-size="{size}" text-anchor="{anchor}" fill="{fill}"{weight}>{escape(line)}</text>')

    def label(self, x, y, w, h, text, fill=BLUE, size=12, bold=False):
        """A box with centred text."""
        self.box(x, y, w, h, fill)
        lines = text.split("\n")
        top = y + h / 2 - (len(lines) - 1) * size * 0.625 + size * 0.35
        self.text(x + w / 2, top, text, size, "middle", bold=bold)

    def line(self, x1, y1, x2, y2, stroke=QUIET, width=1.4, dash="", arrow=False):
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        end = ' marker-end="url(#arrow)"' if arrow else ""
        self.add(f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{stroke}" stroke-width="{width}" fill="none"{dash}{end}/>')

    def arrow(self, x1, y1, x2, y2, **more):
        self.line(x1, y1, x2, y2, arrow=True, **more)

    def grid(self, x, y, w, h, columns, rows, stroke, width=0.8):
        for i in range(1, columns):
            self.line(x + w * i / columns, y, x + w * i / columns, y + h, stroke, width)
        for i in range(1, rows):
            self.line(x, y + h * i / rows, x + w, y + h * i / rows, stroke, width)

    def save(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH * 1.6:g}" '
                f'height="{self.height * 1.6:g}" role="img" font-family="Helvetica, Arial, sans-serif">\n'
                f"<title>{escape(self.title)}</title>\n"
                f'<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                f'<path d="M0 0L8 4L0 8z" fill="{QUIET}"/></marker></defs>\n'
                f'<rect width="{WIDTH}" height="{self.height}" rx="8" fill="{PAPER}"/>\n')
        (HERE / f"{self.name}.svg").write_text(head + "\n".join(self.parts) + "\n</svg>\n", encoding="utf-8")


def overview():
    p = Picture("overview", 176, "A source is read, checked and written as Zarr; a report proves it")
    for i, name in enumerate(["NetCDF, HDF5", "Parquet, Arrow", "Zarr v2, v3", "raw binary"]):
        p.label(10, 14 + i * 31, 96, 25, name, GREY)
    p.label(136, 34, 88, 64, "zmigrate", BLUE, 15, bold=True)
    p.label(254, 14, 96, 40, "Zarr v3\nin a folder", GREEN)
    p.label(254, 62, 96, 40, "Zarr v3\nin a bucket", GREEN)
    p.label(254, 110, 96, 25, "report", ORANGE)
    for i in range(4):
        p.arrow(107, 26.5 + i * 31, 134, 50 + i * 11)
    p.arrow(225, 54, 252, 38)
    p.arrow(225, 68, 252, 80)
    p.arrow(212, 99, 252, 120)
    p.label(136, 118, 72, 25, "job.yaml", GREY)
    p.arrow(176, 117, 176, 100)
    p.text(10, 164, "A job says what to do; the report proves it.", 12, fill=QUIET)
    p.save()


def chunks():
    p = Picture("chunks", 372, "An array is divided into shards, and each shard into inner chunks")
    p.text(12, 22, "An array: 8 × 12 elements", 13, bold=True)
    x, y, e = 12, 32, 14
    for r in range(2):
        for c in range(2):
            p.box(x + c * 6 * e, y + r * 4 * e, 6 * e, 4 * e, BLUE if (r, c) != (0, 1) else ORANGE, width=2.4, round=0)
            p.grid(x + c * 6 * e, y + r * 4 * e, 6 * e, 4 * e, 6, 4, "#ffffff", 0.9)
            p.line(x + c * 6 * e + 3 * e, y + r * 4 * e, x + c * 6 * e + 3 * e, y + r * 4 * e + 4 * e, DEEP[BLUE], 1.2)
            p.line(x + c * 6 * e, y + r * 4 * e + 2 * e, x + c * 6 * e + 6 * e, y + r * 4 * e + 2 * e, DEEP[BLUE], 1.2)
            p.box(x + c * 6 * e, y + r * 4 * e, 6 * e, 4 * e, "none", DEEP[BLUE], 2.4, 0)
    p.box(x + 6 * e, y, 6 * e, 4 * e, "none", DEEP[ORANGE], 3, 0)
    p.text(196, 48, "thick line: a shard,\none stored object", 12)
    p.text(196, 88, "thin line: an inner chunk,\nwhat a reader decodes", 12)
    p.text(196, 128, "white line: an element", 12)
    p.arrow(172, 91, 172, 194, stroke=DEEP[ORANGE])
    p.text(12, 170, "The orange shard,", 13, bold=True)
    p.text(12, 186, "as it is stored", 13, bold=True)
    for i, name in enumerate(["chunk 0", "chunk 1", "chunk 2", "chunk 3"]):
        p.label(12 + i * 64, 196, 62, 34, name, ORANGE)
    p.label(270, 196, 78, 34, "index", GREY, bold=True)
    p.text(12, 250, "A reader that wants chunk 2", 12, fill=QUIET)
    p.text(12, 266, "1. fetches the index   2. fetches chunk 2 alone", 12, fill=QUIET)
    p.line(12, 282, 348, 282, GREY, 1)
    p.text(12, 304, "Without shards", 13, bold=True)
    for i in range(4):
        p.label(12 + i * 68, 314, 62, 30, f"chunk {i}", BLUE)
    p.text(290, 333, "…", 14)
    p.text(12, 362, "Each chunk is a stored object of its own.", 12, fill=QUIET)
    p.save()


def travel():
    p = Picture("travel", 330, "A chunk is read, converted, encoded, written and recorded")
    steps = [
        ("read", "a part of the source,\nfor some chunks together", GREY),
        ("encode", "convert values,\nround, compress", BLUE),
        ("write", "send the bytes; the store\nacknowledges them", GREEN),
        ("commit", "record the chunk\nin the checkpoint", ORANGE),
    ]
    for i, (name, what, fill) in enumerate(steps):
        y = 44 + i * 62
        p.label(64, y, 82, 40, name, fill, 14, bold=True)
        p.text(160, y + 17, what, 12)
        if i:
            p.arrow(105, y - 22, 105, y - 2)
    p.label(64, 8, 82, 20, "source", "#ffffff", 12)
    p.arrow(105, 28, 105, 42)
    # carried through
    p.add(f'<path d="M64 64 H34 V188 H62" stroke="{QUIET}" stroke-width="1.4" fill="none" stroke-dasharray="4 3" marker-end="url(#arrow)"/>')
    p.add(f'<text transform="translate(27 180) rotate(-90)" font-size="12" fill="{INK}">carried through</text>')
    p.box(8, 36, 344, 186, "none", LINE, 1, 6, "2 3")
    p.text(12, 286, "Dotted frame: chunks in memory. Together they stay", 12, fill=QUIET)
    p.text(12, 301, "below run.memory; if no room is left, reading waits.", 12, fill=QUIET)
    p.text(12, 316, "Dashed arrow: unchanged bytes skip encoding.", 12, fill=QUIET)
    p.save()


def order():
    p = Picture("order", 350, "Chunks appear first, then the metadata of their array, and the metadata of the root last")
    columns = [("1. at work", 12), ("2. SST is done", 130), ("3. complete", 248)]
    rows = [("zarr.json", 0, "root"), ("SST/", 1, ""), ("zarr.json", 2, "SST"), ("chunk 0", 2, "c"), ("chunk 1", 2, "c"),
            ("AIRT/", 1, ""), ("zarr.json", 2, "AIRT"), ("chunk 0", 2, "c2"), ("chunk 1", 2, "c3")]
    there = [{"c"}, {"c", "SST", "c2"}, {"c", "SST", "c2", "c3", "AIRT", "root"}]
    for (title, x), present in zip(columns, there):
        p.text(x, 22, title, 13, bold=True)
        for i, (name, depth, kind) in enumerate(rows):
            y = 32 + i * 25
            left, w = x + depth * 9, 100 - depth * 9
            if kind == "":
                p.text(left + 2, y + 15, name, 12)
                continue
            on = kind in present
            if kind in ("SST", "AIRT", "root"):
                fill = GREEN if on else "#ffffff"
            else:
                fill = BLUE if on else "#ffffff"
            p.box(left, y, w, 21, fill, DEEP[fill] if on else LINE, 1.2, 3, "" if on else "3 3")
            p.text(left + 6, y + 15, name if on else "–", 12, fill=INK if on else QUIET)
    y = 272
    p.line(12, y, 348, y, GREY, 1)
    p.text(12, y + 20, "1. no array can be opened", 12)
    p.text(12, y + 36, "2. SST can be opened, and it is whole", 12)
    p.text(12, y + 52, "3. the root lists both arrays", 12)
    p.text(12, y + 70, "A kill at any moment leaves one of these states.", 12, fill=QUIET)
    p.save()


def joining():
    p = Picture("joining", 310, "Files that are joined along time, and a file that is appended later")
    p.text(12, 22, "Joining: concat: time", 13, bold=True)
    for i in range(3):
        p.label(12 + i * 86, 32, 78, 40, f"day{i + 1}.nc\n0 … 18 h", [BLUE, GREEN, ORANGE][i])
    p.arrow(130, 74, 130, 92)
    for i in range(3):
        p.label(12 + i * 80, 94, 80, 34, ["0 … 18", "24 … 42", "48 … 66"][i], [BLUE, GREEN, ORANGE][i])
    p.text(262, 108, "hours since\nday 1", 12)
    p.text(12, 148, "Each file counts from its own day. The result", 12, fill=QUIET)
    p.text(12, 163, "counts from one moment.", 12, fill=QUIET)
    p.line(12, 176, 348, 176, GREY, 1)
    p.text(12, 198, "Appending: existing: append", 13, bold=True)
    for i in range(3):
        p.label(12 + i * 70, 208, 70, 34, ["0 … 18", "24 … 42", "48 … 66"][i], GREY)
    p.box(222, 208, 70, 34, ORANGE, DEEP[ORANGE], 2)
    p.text(257, 229, "72 … 90", 12, "middle")
    p.label(222, 258, 70, 24, "day4.nc", ORANGE)
    p.arrow(257, 257, 257, 244)
    p.text(12, 264, "Rows that are there are not", 12, fill=QUIET)
    p.text(12, 279, "read again. The last chunk is", 12, fill=QUIET)
    p.text(12, 294, "rewritten until it is full.", 12, fill=QUIET)
    p.save()


def access():
    p = Picture("access", 424, "A map and a time series, cut through chunks of three shapes")
    # Each row: chunks as (time, place) cells in a square of 8 x 8.
    shapes = [("map", 1, 8, "a map: 1 chunk", "a series: 8 chunks"),
              ("time-series", 8, 1, "a map: 8 chunks", "a series: 1 chunk"),
              ("both", 3, 3, "a map: 3 chunks", "a series: 3 chunks")]
    p.text(12, 22, "Time goes to the right, places go down.", 12, fill=QUIET)
    for k, (name, t, s, one, two) in enumerate(shapes):
        y = 36 + k * 122
        e, x, n = 12, 12, 9
        if name != "both":
            n = 8
            e = 13.5
        size = n * e
        cells_t, cells_s = n // t if t < n else 1, n // s if s < n else 1
        column, row = (2, 5) if n == 8 else (4, 7)
        for i in range(cells_t):
            for j in range(cells_s):
                w, h = size / cells_t, size / cells_s
                in_map = i == column // (n // cells_t)
                in_series = j == row // (n // cells_s)
                fill = GREEN if in_map and in_series else BLUE if in_map else ORANGE if in_series else "#ffffff"
                p.box(x + i * w, y + j * h, w, h, fill, INK, 1, 0)
        p.box(x + column * e + e / 2 - 2, y, 4, size, DEEP[BLUE], DEEP[BLUE], 0, 0)
        p.box(x, y + row * e + e / 2 - 2, size, 4, DEEP[ORANGE], DEEP[ORANGE], 0, 0)
        p.text(142, y + 20, f"access: {name}", 14, bold=True)
        p.box(142, y + 36, 22, 12, BLUE)
        p.text(172, y + 46, one, 13)
        p.box(142, y + 58, 22, 12, ORANGE)
        p.text(172, y + 68, two, 13)
    p.text(12, 414, "Each box is a chunk. Green: decoded for both.", 12, fill=QUIET)
    p.save()


def machines():
    p = Picture("machines", 300, "One machine plans, many work on parts, one finishes")
    p.label(116, 10, 128, 38, "plan --save\non one machine", GREY, 12)
    for i in range(4):
        x = 10 + i * 87
        p.arrow(180, 49, x + 40, 74)
        p.label(x, 76, 79, 38, f"work\nbundle {i}/4", BLUE, 12)
        p.arrow(x + 24, 115, x + 24, 142)
        p.arrow(x + 58, 115, x + 58, 186, stroke=DEEP[ORANGE], dash="4 3")
    p.label(10, 144, 340, 28, "target: chunks, nothing to open yet", GREEN, 12)
    p.label(10, 188, 340, 28, "checkpoint: plan and receipts of all chunks", ORANGE, 12)
    p.arrow(180, 217, 180, 236)
    p.label(116, 238, 128, 38, "finish\non one machine", GREY, 12)
    p.text(252, 254, "checks receipts,", 11, fill=QUIET)
    p.text(252, 268, "writes metadata", 11, fill=QUIET)
    p.text(12, 292, "A worker that dies is started again, anywhere.", 12, fill=QUIET)
    p.save()


def growth():
    p = Picture("growth", 258, "What each further chunk, array and file costs")
    left, right, top, bottom = 64, 346, 40, 206

    def x(n):
        return left + (right - left) * (math.log10(n) - 2) / 4  # 10^2 to 10^6

    def y(microseconds):
        return bottom - (bottom - top) * (math.log10(microseconds) - 1) / 2  # 10 to 1000

    p.text(12, 22, "Microseconds of processor time for each", 12, fill=QUIET)
    for n, name in ((100, "100"), (10_000, "10,000"), (1_000_000, "1,000,000")):
        p.line(x(n), top, x(n), bottom, GREY)
        p.text(x(n), bottom + 18, name, 11, "end" if n > 100_000 else "middle", fill=QUIET)
    for microseconds in (10, 100, 1000):
        p.line(left, y(microseconds), right, y(microseconds), GREY)
        p.text(left - 6, y(microseconds) + 4, f"{microseconds:,}", 11, "end", fill=QUIET)
    for name, colour, where, points in (
        ("files", GREEN, 10_000, [(100, 700), (1_000, 420), (10_000, 472)]),
        ("arrays", ORANGE, 100_000, [(1_000, 390), (10_000, 315), (30_000, 310), (100_000, 331)]),
        ("chunks", BLUE, 1_000_000, [(1_000, 83), (10_000, 59), (30_000, 62), (1_000_000, 55)]),
    ):
        for (n, cost), (more, less) in zip(points, points[1:]):
            p.line(x(n), y(cost), x(more), y(less), DEEP[colour], 2.4)
        for n, cost in points:
            p.box(x(n) - 3, y(cost) - 3, 6, 6, DEEP[colour], DEEP[colour], 1, 3)
        cost = dict(points)[where]
        p.text(min(x(where) + 8, right), y(cost) - 8, name, 13, "end" if where > 100_000 else "start", DEEP[colour], True)
    p.text(12, 248, "To the right: how many the job has.", 12, fill=QUIET)
    p.save()


if __name__ == "__main__":
    for draw in (overview, chunks, travel, order, joining, access, machines, growth):
        draw()
