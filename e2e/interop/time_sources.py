"""Writes sets of NetCDF files that count times from several moments, and jobs for them.

    time_sources.py FOLDER

FOLDER gets 240 sets of three files, jobs that join each set or append its files one after
the other, and cases.json: for each case the files in the order of their times, the jobs and
the target. A case is "exact" if every time is a whole number of the units of the first
file, and "fits" if all numbers fit the data type.
"""

import fractions
import json
import pathlib
import random
import sys

import cftime
import netCDF4
import numpy as np

CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "noleap", "365_day", "all_leap", "366_day", "360_day", "julian"]
SECONDS = {"seconds": 1, "s": 1, "minutes": 60, "min": 60, "hours": 3600, "h": 3600, "days": 86400, "d": 86400}
YEARS = [1, 1582, 1700, 1900, 1999, 2000, 2020]


def units_of(word, moment, style):
    date = f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}"
    if style == 0 and (moment.hour, moment.minute) == (0, 0):
        return f"{word} since {date}"
    if style == 1:
        return f"{word} since {moment.year}-{moment.month}-{moment.day} {moment.hour:02d}:{moment.minute:02d}"
    return f"{word} since {date}T{moment.hour:02d}:{moment.minute:02d}:00Z"


def write_file(path, units, calendar, kind, numbers, bounds, own):
    """Writes a file of times, and of the bounds if there are any."""
    with netCDF4.Dataset(path, "w", format="NETCDF4") as f:
        f.createDimension("time", len(numbers))
        f.createDimension("nv", 2)
        time = f.createVariable("time", kind, ("time",))
        time.units, time.calendar = units, calendar
        time[:] = np.array(numbers, dtype=kind)
        f.createVariable("v", "f4", ("time",))[:] = np.arange(len(numbers), dtype="f4")
        reference = f.createVariable("reference", kind, ("time",))
        reference.units, reference.calendar = units, calendar
        reference[:] = np.array(numbers, dtype=kind)[::-1]
        if bounds:
            time.bounds = "time_bnds"
            b = f.createVariable("time_bnds", kind, ("time", "nv"))
            if own:
                b.units, b.calendar = units, calendar
            b[:] = np.array([[n, n + 1] for n in numbers], dtype=kind)


def main(folder):
    r = random.Random(20261122)
    cases = []
    for number in range(240):
        calendar, kind = CALENDARS[number % len(CALENDARS)], r.choice(["i4", "i8", "f8"])
        word = r.choice(list(SECONDS))
        words = [word, word, word] if r.random() < 0.6 else [word, *r.choices(list(SECONDS), k=2)]
        moment = cftime.datetime(r.choice(YEARS), r.randint(1, 12), r.randint(1, 28), r.choice([0, 0, 6, 12]), r.choice([0, 0, 30]), calendar=calendar)
        if calendar in ("standard", "gregorian") and moment.year == 1582:
            moment = moment.replace(year=1583)
        bounds, own, style = r.random() < 0.5, r.random() < 0.5, r.randrange(3)
        files, parts = [], {}
        names = r.sample(["a", "b", "c"], 3) if number % 2 else ["a", "b", "c"]
        low, high = (-(2**31), 2**31 - 1) if kind == "i4" else (-(2**63), 2**63 - 1)
        for k in range(3):
            begin = moment if k == 0 else cftime.num2date(r.choice([0, 0, 1800, 43200]), units_of("seconds", moment, 1), calendar)
            units = units_of(words[k], begin, style)
            step = r.choice([1, 2, 6])
            count = r.randint(1, 5)
            numbers = [i * step for i in range(count)]
            if kind == "f8" and r.random() < 0.5:
                numbers = [n + r.choice([0.5, 0.25]) for n in numbers]
            name = f"set{number}_{names[k]}.nc"
            write_file(folder / name, units, calendar, kind, numbers, bounds, own)
            files.append(name)
            parts[name] = (begin, SECONDS[words[k]], [*numbers, *(n + 1 for n in numbers if bounds)])
            size = SECONDS[words[k]]
            last = fractions.Fraction(numbers[-1] + (2 if kind != "f8" else 3)) * size
            moment = cftime.num2date(int(last) + 3600, units_of("seconds", begin, 1), calendar)
        append = number % 3 == 2
        origin, unit, _ = parts[files[0]]
        exact = fits = True
        for begin, size, numbers in parts.values():
            away = cftime.date2num(begin, units_of("seconds", origin, 1), calendar)
            for n in numbers:
                at = (fractions.Fraction(int(away)) + fractions.Fraction(n) * size) / unit
                exact &= at.denominator == 1
                fits &= low <= at <= high
        jobs = []
        for part in ([[n] for n in files] if append else [files]):
            job = f"job{number}_{len(jobs)}.json"
            target = {"url": f"out{number}.zarr", **({"existing": "append", "append": {"dimension": "time", "gaps": "allow"}} if append else {})}
            source = {"driver": "netcdf", "url": sorted(part), "concat": "time"}
            (folder / job).write_text(json.dumps({"zmigrate": 1, "source": source, "target": target}))
            jobs.append(job)
        cases.append({"files": files, "jobs": jobs, "target": f"out{number}.zarr", "exact": kind == "f8" or exact, "fits": kind == "f8" or fits, "kind": kind})
    (folder / "cases.json").write_text(json.dumps(cases))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
