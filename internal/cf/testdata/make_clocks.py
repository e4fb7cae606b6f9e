"""Writes clocks.json: numbers of times in one unit, and what cftime says that the same
moments are in another unit. Run it with cftime 1.6.6:

    python make_clocks.py > clocks.json

cftime is distributed under the MIT licence. The seed is fixed."""

import json
import random
import warnings

import cftime

warnings.simplefilter("ignore")
random.seed(20)
UNITS = ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds"]
CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day"]
ZONES = ["", " 06:30:00", "T12:00:00", " 00:00:00 +05:30", " 23:59:30 -03:00", " 12:00"]


def moment(calendar, unit):
    year = random.choice([-4712, -44, 1, 4, 1500, 1582, 1583, 1700, 1900, 1970, 2000, 2024])
    month, day = random.randint(1, 12), random.randint(1, 28)
    if "year" in unit or "month" in unit:
        return f"{unit} since {year:05d}-01-01"
    return f"{unit} since {year}-{month}-{day}{random.choice(ZONES)}"


cases = []
while len(cases) < 400:
    calendar = random.choice(CALENDARS)
    units = UNITS + (["months"] if calendar == "360_day" else []) + (["common_years"] if calendar in ("noleap", "365_day") else [])
    a, b = moment(calendar, random.choice(units)), moment(calendar, random.choice(units))
    n = random.randint(-1000, 100000)
    try:
        date = cftime.num2date(n, a, calendar)
        m = cftime.date2num(date, b, calendar)
    except (ValueError, OverflowError):
        continue
    if m != int(m) or abs(int(m)) > 2**52 or cftime.num2date(int(m), b, calendar) != date:
        continue
    cases.append([calendar, a, b, n, int(m)])
print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")
