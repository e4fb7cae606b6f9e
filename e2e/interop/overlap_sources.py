"""Writes sets of files of which later ones repeat times of earlier ones.

    overlap_sources.py FOLDER

Each case has the folder of a first run and that of a later one, with a job for each. The
files of the later run begin with times that the first run has, in other files and perhaps
by another origin. cases.json says of each case what is to come of it.
"""

import json
import pathlib
import random
import sys

import cftime
import netCDF4
import numpy as np

CALENDARS = ["standard", "noleap", "360_day", "proleptic_gregorian"]


def write_file(file, origin, calendar, kind, hours, values, bounds):
    """Writes the rows at some hours after a moment, which count from the first of them."""
    begin = cftime.num2date(hours[0], f"hours since {origin}", calendar)
    with netCDF4.Dataset(file, "w", format="NETCDF3_CLASSIC" if kind != "i8" else "NETCDF4") as d:
        d.createDimension("time", len(hours))
        d.createDimension("x", 3)
        time = d.createVariable("time", kind, ("time",))
        time.units, time.calendar = f"hours since {begin.strftime('%Y-%m-%d %H:%M:%S')}", calendar
        time[:] = [h - hours[0] for h in hours]
        if bounds:
            d.createDimension("nv", 2)
            time.bounds = "time_bnds"
            d.createVariable("time_bnds", kind, ("time", "nv"))[:] = [[h - hours[0], h - hours[0] + 1] for h in hours]
        d.createVariable("v", "f4", ("time", "x"))[:] = values
        d.createVariable("across", "i2", ("x", "time"))[:] = np.asarray(values).T % 1000


def main(folder):
    r = random.Random(5)
    cases = []
    for number in range(72):
        calendar, kind, bounds = r.choice(CALENDARS), r.choice(["i4", "i8", "f8"]), r.random() < 0.5
        overlap = ["skip", "same"][number % 2]
        origin = f"{r.choice([1850, 1999, 2020])}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d} 00:00:00"
        step = r.choice([1, 6, 24])
        first, new = r.randint(3, 12), r.randint(0, 9)
        hours = [step * i for i in range(first + new)]
        values = [[10 * i + k for k in range(3)] for i in range(first + new)]
        begin = r.randint(0, first)
        kindof = r.choice(["plain", "plain", "plain", "other", "sparse", "hole"])
        later = list(range(begin, first + new))
        if kindof == "sparse":  # files of some overlapping rows are gone
            later = [i for i in later if i >= first or r.random() < 0.6]
        if not later:
            later = [first - 1]
        early = list(range(first))
        if kindof == "hole" and first > 2:
            gone = r.randrange(0, first - 1)
            early.remove(gone)
            later = sorted({gone, *later})
        other = [i for i in later if i in early]
        changed = r.choice(other) if kindof == "other" and other else None
        for which, rows in (("a", early), ("b", later)):
            place = folder / f"case{number}" / which
            place.mkdir(parents=True)
            at = part = 0
            while at < len(rows):
                n = r.randint(1, 4)
                take = rows[at : at + n]
                mine = [[v + 500 * (which == "b" and i == changed) for v in values[i]] for i in take]
                write_file(place / f"f{part:02d}.nc", origin, calendar, kind, [hours[i] for i in take], mine, bounds)
                at, part = at + n, part + 1
            job = {"zmigrate": 1, "source": {"driver": "netcdf", "url": f"case{number}/{which}/*.nc", "concat": "time"},
                   "target": {"url": f"out{number}.zarr", "existing": "append", "append": {"dimension": "time", "gaps": "allow", "overlap": overlap}},
                   "defaults": {"chunks": {"time": r.choice([1, 3, 8])}}}
            if which == "b":
                del job["defaults"]
            (folder / f"job{number}{which}.json").write_text(json.dumps(job))
        hole = kindof == "hole" and first > 2
        cases.append({"number": number, "target": f"out{number}.zarr", "jobs": [f"job{number}a.json", f"job{number}b.json"],
                      "refused": hole or changed is not None and overlap == "same",
                      "nothing": not hole and max(later) < first, "kind": kind})
    (folder / "cases.json").write_text(json.dumps(cases))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
