package sources

import (
	"bytes"
	"fmt"
	"slices"
)

// foreign lists the signatures of formats that no driver reads, with a way out.
func foreign() []Signature {
	packed := func(begins, by, with string) Signature {
		return Signature{begins, fmt.Sprintf("a file compressed with %s: unpack it first, with %s", by, with)}
	}
	return []Signature{
		packed("\x1f\x8b", "gzip", "gunzip"),
		packed("\x28\xb5\x2f\xfd", "zstd", "unzstd"),
		packed("BZh", "bzip2", "bunzip2"),
		packed("\xfd7zXZ\x00", "xz", "unxz"),
		packed("\x04\x22\x4d\x18", "lz4", "unlz4"),
		packed("7z\xbc\xaf\x27\x1c", "7z", "7z x"),
		{"\x9e\xa8b2frame\x00", "a Blosc2 frame (b2nd): write the array to Zarr with python-blosc2 and zarr-python"},
		{"\x0e\x03\x13\x01", "an HDF4 file, such as those of HDF-EOS 2: convert it to HDF5 with h4toh5, or to NetCDF-4 with h4tonccf_nc4"},
		{"\xcd\xf3\x00\x01", "a CDF file of NASA, which is not NetCDF: convert it to NetCDF with cdf-to-netCDF"},
		{"\xcd\xf2\x60\x02", "a CDF file of NASA, which is not NetCDF: convert it to NetCDF with cdf-to-netCDF"},
		{"GRIB", "a GRIB file: convert it to NetCDF with grib_to_netcdf or cdo -f nc4 copy"},
		{"BUFR", "a BUFR file, which holds no arrays: convert it to NetCDF with the tools of ecCodes"},
		{"\x93NUMPY", "a NumPy file: the driver raw reads its elements, with the length of its header as offset"},
		{"II*\x00", "a TIFF file: convert it to NetCDF or Zarr with gdal_translate"},
		{"MM\x00*", "a TIFF file: convert it to NetCDF or Zarr with gdal_translate"},
		{"II+\x00", "a TIFF file: convert it to NetCDF or Zarr with gdal_translate"},
		{"SIMPLE  =", "a FITS file: convert it to HDF5 with fits2hdf, or to Zarr with astropy and zarr-python"},
		{"MATLAB 5.0 MAT", "a MATLAB file of a version before 7.3: save it with -v7.3, which writes HDF5"},
		{"ORC", "an ORC file: convert it to Parquet with pyarrow.orc"},
		{"Obj\x01", "an Avro file: convert it to Parquet"},
		{"<", "a text, perhaps HTML or XML, which some servers send instead of a file"},
	}
}

// signature returns the signature that a file's first bytes match, and the driver that
// reads such a file. by is nil if no driver reads it. known is false if no signature
// matches.
func (l Drivers) signature(beginning []byte) (s Signature, by *Driver, known bool) {
	is := func(s Signature) bool { return bytes.HasPrefix(beginning, []byte(s.Begins)) }
	for i := range l {
		if k := slices.IndexFunc(l[i].Signatures, is); k >= 0 {
			return l[i].Signatures[k], &l[i], true
		}
	}
	others := foreign()
	if k := slices.IndexFunc(others, is); k >= 0 {
		return others[k], nil, true
	}
	return Signature{}, nil, false
}

// Reads says what a file is that begins with these bytes, such as "a NetCDF file". ok is false
// if the bytes are no signature of a driver.
func (l Drivers) Reads(beginning []byte) (what string, ok bool) {
	s, by, _ := l.signature(beginning)
	return s.What, by != nil
}

// WhatIs describes a file that a driver cannot read, by its first bytes. If the bytes are
// known, the text is "it is …", with a way out. Otherwise it is "it begins with …".
func (l Drivers) WhatIs(beginning []byte) string {
	switch s, driver, known := l.signature(beginning); {
	case len(beginning) == 0:
		return "it is empty: write or copy it again"
	case driver != nil:
		return fmt.Sprintf("it is %s, for driver: %s", s.What, driver.Name)
	case known:
		return "it is " + s.What
	default:
		return fmt.Sprintf("it begins with %q", beginning[:min(len(beginning), 8)])
	}
}
