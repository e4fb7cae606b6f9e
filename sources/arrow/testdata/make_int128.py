"""Writes int128.arrow: a column of integers of 128 bits, a type that Arrow lacks, and a column of
others. Run with polars 2.1 in this folder."""

import polars as pl

pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int128), "b": pl.Series([1, 2], dtype=pl.Int8)}).write_ipc("int128.arrow")
