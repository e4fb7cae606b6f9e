"""Moves scientific data to Zarr v3. `zmigrate.dask` does migrations on a Dask cluster."""
