package input

import (
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// keepsCodecs reports whether the job allows an array of a Zarr source to keep its codecs:
// the job lists no codecs for it, and no data type other than t, the type that it has.
func keepsCodecs(j *jobfile.Job, path string, t dtype.Type, types *dtype.Registry) bool {
	o, _ := j.Options(path)
	if o.Codecs.Chain != nil {
		return false
	}
	if o.DataType == nil {
		return true
	}
	wanted, err := types.ParseV3(o.DataType)
	return err == nil && dtype.Same(t, wanted)
}

// wantsStored reports whether the job asks for the codecs of an array, so that
// its chunks are best copied as they are stored.
func wantsStored(j *jobfile.Job, path string) bool {
	o, _ := j.Options(path)
	return o.Codecs.Keep && j.Run.Path != "decode"
}
