//go:build race

package race_test

import (
	"bytes"
	"compress/flate"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/blosc"
	"github.com/zmigrate/zmigrate/codecs/inflate"
	"github.com/zmigrate/zmigrate/codecs/pcodec"
	"github.com/zmigrate/zmigrate/codecs/zstd"
	"github.com/zmigrate/zmigrate/internal/race"
)

// job is something that two goroutines do at the same time: one calls do, the other calls other with the
// same bytes.
type job struct {
	do    func() error
	other func([]byte)
	bytes []byte
}

// jobs returns functions that make jobs, by name. The race detector has to report all jobs but
// "read, read".
func jobs() map[string]func() job {
	plain := func(do, other func([]byte)) func() job {
		b := make([]byte, 1000)
		return func() job { return job{func() error { do(b); return nil }, other, b} }
	}
	made := map[string]func() job{
		"read, read":   plain(race.Read, race.Read),
		"read, write":  plain(race.Read, race.Write),
		"write, read":  plain(race.Write, race.Read),
		"write, write": plain(race.Write, race.Write),
	}
	content := make([]byte, 1<<16)
	for i := range content {
		content[i] = byte(i >> 6)
	}
	room := func() []byte { return make([]byte, len(content), len(content)+1000) }
	for name, encode := range encoders() {
		made["encode "+name+", write to the content"] = func() job {
			return job{func() error { _, err := encode(room()[:0], content); return err }, race.Write, content}
		}
		made["encode "+name+", read the result"] = func() job {
			to := room()
			return job{func() error { _, err := encode(to[:0], content); return err }, race.Read, to}
		}
	}
	for name, d := range decoders() {
		stream, err := d.encode(nil, content)
		if err != nil {
			panic(err)
		}
		made["decode "+name+", write to the stream"] = func() job {
			to := room()
			return job{func() error { return d.decode(to, stream) }, race.Write, stream}
		}
		made["decode "+name+", read the result"] = func() job {
			to := room()
			return job{func() error { return d.decode(to, stream) }, race.Read, to}
		}
	}
	return made
}

type encode = func(dst, src []byte) ([]byte, error)

func encoders() map[string]encode {
	return map[string]encode{
		"blosc":  withBlosc(5),
		"pcodec": func(dst, src []byte) ([]byte, error) { return pcodec.AppendEncode(dst, src, pcodec.Uint32, 8) },
		"zstd": func(dst, src []byte) ([]byte, error) {
			e, err := zstd.NewEncoder(zstd.Options{})
			if err != nil {
				return nil, err
			}
			return e.AppendEncode(dst, src), nil
		},
	}
}

func withBlosc(level int) encode {
	return func(dst, src []byte) ([]byte, error) {
		e, err := blosc.NewEncoder(blosc.Options{Codec: blosc.LZ4, Level: level, TypeSize: 4})
		if err != nil {
			return nil, err
		}
		return e.AppendEncode(dst, src)
	}
}

// decoder decodes the whole content, or the first block of it, into dst.
type decoder struct {
	encode encode
	decode func(dst, src []byte) error
}

func decoders() map[string]decoder {
	whole := func(dst, src []byte) error { return new(blosc.Decoder).DecodeInto(dst, src) }
	block := func(dst, src []byte) error {
		h, err := blosc.ParseHeader(src)
		if err != nil {
			return err
		}
		parts, err := h.BlockRanges(src)
		if err != nil {
			return err
		}
		return new(blosc.Decoder).DecodeBlock(dst[:h.BlockLen(0)], src[parts[0].Start:parts[0].End], h, 0)
	}
	return map[string]decoder{
		"blosc":              {withBlosc(5), whole},
		"stored blosc":       {withBlosc(0), whole},
		"block of blosc":     {withBlosc(5), block},
		"stored blosc block": {withBlosc(0), block},
		"deflate": {
			func(_, src []byte) ([]byte, error) {
				var b bytes.Buffer
				w, err := flate.NewWriter(&b, 6)
				if err != nil {
					return nil, err
				}
				if _, err := w.Write(src); err != nil {
					return nil, err
				}
				err = w.Close()
				return b.Bytes(), err
			},
			func(dst, src []byte) error {
				_, _, err := new(inflate.Decoder).Raw(dst, src)
				return err
			},
		},
		"pcodec": {
			encoders()["pcodec"],
			func(dst, src []byte) error { return pcodec.DecodeInto(dst, src, pcodec.Uint32) },
		},
		"zstd": {
			encoders()["zstd"],
			func(dst, src []byte) error {
				_, err := new(zstd.Decoder).Decode(dst, src)
				return err
			},
		},
	}
}

// TestReported has two goroutines use the same bytes, in a process of its own. The race detector
// reports that, unless both read. On a busy machine it has missed a race once, so the test tries again.
// `make race` compiles the compressors without the race detector.
func TestReported(t *testing.T) {
	const variable = "ZMIGRATE_RACE"
	all := jobs()
	if prepare, ok := all[os.Getenv(variable)]; ok {
		j, done := prepare(), make(chan error)
		go func() { done <- j.do() }()
		j.other(j.bytes)
		if err := <-done; err != nil {
			t.Error(err)
		}
		return
	}
	for name := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the race detector waits for a second at the end of each process
			tries := 10
			if name == "read, read" {
				tries = 1
			}
			for range tries {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestReported$")
				cmd.Env = append(os.Environ(), variable+"="+name)
				out, err := cmd.CombinedOutput()
				reported := strings.Contains(string(out), "DATA RACE")
				switch {
				case reported == (err == nil):
					t.Fatalf("%v\n%s", err, out)
				case reported && name == "read, read":
					t.Fatalf("two goroutines read:\n%s", out)
				case reported:
					return
				}
			}
			if name != "read, read" {
				t.Errorf("not reported in %d tries", tries)
			}
		})
	}
}
