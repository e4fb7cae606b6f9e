package app

import (
	"cmp"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/codecs/adler32"
	"github.com/zmigrate/zmigrate/codecs/packing"
	"github.com/zmigrate/zmigrate/codecs/shuffle"
	"github.com/zmigrate/zmigrate/codecs/zfp"
	"github.com/zmigrate/zmigrate/codecs/zstd"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/internal/cpu"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

func (a *app) versionCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "version", Usage: "print the version, how the program was built, and which kernels it uses on this processor",
		Description: "A kernel is a loop that needs extensions of a processor. Without its kernels, the program does\n" +
			"the same, more slowly. The environment variable " + cpu.Variable + " limits the extensions to those of a\n" +
			"level: plain (none), sse2, avx2, pext or avx512 on amd64, plain or neon on arm64. native, or no\n" +
			"variable, means all that the processor has.",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return invalid(errors.New("version takes no arguments"))
			}
			info, _ := debug.ReadBuildInfo()
			v := versionOf(info)
			if a.json {
				a.printJSON(v)
				return nil
			}
			a.printf("zmigrate %s\n", v.Version)
			a.table(v.rows())
			return nil
		},
	})
}

// versionJSON is the result of version. Commit and Date are "" if the program was built
// outside of a clone.
type versionJSON struct {
	Version  string       `json:"version"`
	Commit   string       `json:"commit,omitempty"`
	Date     string       `json:"date,omitempty"` // of the commit, RFC 3339
	Modified bool         `json:"modified"`       // files differed from the commit
	Go       string       `json:"go"`
	OS       string       `json:"os"`
	Arch     string       `json:"arch"`
	Level    string       `json:"level,omitempty"` // the oldest processor that can run the program, such as v1
	Tags     []string     `json:"tags"`
	CPU      string       `json:"cpu"` // the level of extensions of the processor that kernels may use
	Kernels  []kernelJSON `json:"kernels"`
}

// kernelJSON says which extensions of the processor the kernels of a room use; "" means that it
// uses no kernels.
type kernelJSON struct {
	Name string `json:"name"`
	Uses string `json:"uses"`
}

// versionOf describes a program from its build information, which may be nil.
func versionOf(info *debug.BuildInfo) versionJSON {
	v := versionJSON{
		Version: jobs.Program(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Tags: []string{},
		CPU:     cpu.Used().String(),
		Kernels: []kernelJSON{{"adler32", adler32.Kernels()}, {"digest", digest.Kernels()}, {"packing", packing.Kernels()}, {"parquet", parquet.Kernels()}, {"shuffle", shuffle.Kernels()}, {"zfp", zfp.Kernels()}, {"zstd", zstd.Kernels()}},
	}
	if info == nil {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		case "GO" + strings.ToUpper(runtime.GOARCH): // GOAMD64, GOARM64
			v.Level = s.Value
		case "-tags":
			v.Tags = strings.Split(s.Value, ",")
		}
	}
	return v
}

// rows returns what people read below the version.
func (v versionJSON) rows() [][]string {
	commit := cmp.Or(v.Commit, "unknown")
	if v.Modified {
		commit += ", with changes"
	}
	rows := [][]string{
		{"commit", commit},
		{"date", cmp.Or(v.Date, "unknown")},
		{"Go", v.Go},
		{"platform", strings.TrimSpace(v.OS + "/" + v.Arch + " " + v.Level)},
		{"build tags", cmp.Or(strings.Join(v.Tags, ", "), "none")},
	}
	var kernels []string
	for _, k := range v.Kernels {
		kernels = append(kernels, k.Name+" "+cmp.Or(k.Uses, "none"))
	}
	return append(rows, []string{"processor", v.CPU}, []string{"kernels", strings.Join(kernels, ", ")})
}
