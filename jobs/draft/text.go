package draft

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/advise"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// writer collects the lines of a job file.
type writer struct{ strings.Builder }

func (w *writer) linef(format string, args ...any) {
	_, _ = fmt.Fprintf(w, format+"\n", args...)
}

// comment writes a comment of several lines of at most 90 characters.
func (w *writer) comment(indent, text string) {
	line := indent + "#"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 90 && line != indent+"#" {
			w.linef("%s", line)
			line = indent + "#"
		}
		line += " " + word
	}
	w.linef("%s", line)
}

// quoted spells a text as YAML: without quotes where none are needed.
func quoted(text string) string {
	text = strings.ReplaceAll(text, "${", "$${")
	plain := text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("._-/:=", c)
	}) && !strings.ContainsAny(text[:1], ":-=.0123456789") && !strings.HasSuffix(text, ":") && !strings.Contains(text, ": ") &&
		!slices.Contains([]string{"true", "false", "null"}, strings.ToLower(text))
	if plain || strings.HasPrefix(text, "../") && quoted(text[3:]) == text[3:] || strings.HasPrefix(text, "./") && quoted(text[2:]) == text[2:] {
		return text
	}
	b, _ := json.Marshal(text) // a text in JSON is one in YAML
	return string(b)
}

// text writes the job file.
func text(f *files, locations []string, how joining, opt Options, d *decisions) string {
	w := &writer{}
	w.linef("# yaml-language-server: $schema=%s", SchemaFile)
	w.comment("", "A job for zmigrate. Editors check and complete it with the schema, which `zmigrate schema > "+SchemaFile+"` writes beside this file. Lines that end in “may be deleted” say what happens anyway.")
	w.comment("", "Next: `zmigrate validate` checks this file, `zmigrate plan` shows what a run would do, `zmigrate run` does it, and `zmigrate verify` reads the result back.")
	w.linef("zmigrate: %d", jobfile.Version)
	w.linef("name: %s", quoted(opt.Name))
	w.linef("")
	w.source(f, locations, how, d)
	w.linef("")
	w.linef("target:")
	w.linef("  url: %s   # a folder, or a place such as s3://bucket/%s.zarr?region=…", quoted(opt.Target), opt.Name)
	if len(d.readers) > 0 {
		w.linef("  readers: [%s]   # programs that have to open the result: anything else is an error before the run", strings.Join(d.readers, ", "))
	}
	for _, why := range d.not {
		w.comment("  ", why)
	}
	w.defaults(f, opt, d)
	w.arrays(d)
	w.linef("")
	w.linef("run:")
	w.linef("  memory: 1GiB    # the bound on chunks in memory; may be deleted")
	w.linef("  verify: decoded # after the run, the target is read back and compared with digests of what was read")
	return w.String()
}

func (w *writer) source(f *files, locations []string, how joining, d *decisions) {
	w.linef("source:")
	w.linef("  driver: %s", f.driver.Name)
	if len(locations) == 1 {
		note := ""
		if len(f.urls) > 1 {
			note = fmt.Sprintf("   # %d files", len(f.urls))
		}
		w.linef("  url: %s%s", quoted(locations[0]), note)
	} else {
		w.linef("  url:")
		for _, l := range locations {
			w.linef("    - %s", quoted(l))
		}
	}
	switch {
	case how.concat != "":
		w.linef("  concat: %s   # %s", quoted(how.concat), how.why)
	case how.stack != "":
		w.comment("  ", "stack: "+how.why+".")
		w.linef("  stack: %s", quoted(how.stack))
	}
	if len(d.packed) > 0 {
		w.comment("  ", fmt.Sprintf("%s packed by scale_factor and add_offset. keep copies the packed numbers with their attributes, which xarray unpacks. codecs lets every reader see physical values, and stores the same numbers. unpack stores physical values, which take more room.", listed(d.packed)))
		w.linef("  cf: keep   # may be deleted")
	}
}

// listed lists names, and counts those beyond five.
func listed(names []string) string {
	verb := " are"
	if len(names) == 1 {
		verb = " is"
	}
	if n := len(names) - 5; n > 0 {
		return fmt.Sprintf("%s and %d more%s", strings.Join(names[:5], ", "), n, verb)
	}
	return strings.Join(names, ", ") + verb
}

func (w *writer) defaults(f *files, opt Options, d *decisions) {
	w.linef("")
	w.comment("", "For every array without an entry below, and for what an entry does not say.")
	w.linef("defaults:")
	keeps := f.driver.Codecs == sources.CodecsByDefault
	switch codecs := d.defaultCodecs(); {
	case codecs != "":
		w.comment("  ", "The best chain for most of the large arrays, by samples (`zmigrate advise` has the table).")
		w.linef("  codecs: %s", codecs)
	case keeps:
		w.linef("  codecs: keep   # those of the source; may be deleted")
	default:
		usual := advise.Row{Codecs: standard.DefaultChain(dtype.Float32)[1:]} // behind the array → bytes codec of each type
		w.linef("  codecs: %s   # may be deleted", usual.CodecsText())
	}
	switch {
	case opt.Access != "":
		w.linef("  access: %s   # chunks for this use: map, time-series or both", opt.Access)
	case keeps:
		w.linef("  chunks: keep   # those of the source; may be deleted")
	default:
		w.linef("  chunks: auto   # 1 to 8 MiB, and coordinates in one piece; may be deleted")
	}
}

func (w *writer) arrays(d *decisions) {
	if len(d.entries) == 0 {
		return
	}
	w.linef("")
	w.linef("arrays:")
	for _, e := range d.entries {
		w.comment("  ", e.what)
		w.linef("  %s:", quoted(e.name))
		w.linef("    chunks: %s   # as chosen for the defaults; may be deleted", e.chunks)
		switch {
		case e.codecs != "":
			w.linef("    codecs: %s", e.codecs)
			w.comment("    ", e.details)
		case e.details != "":
			w.comment("    ", "codecs of the defaults: "+e.details)
		}
	}
	if d.others > 0 {
		w.comment("  ", fmt.Sprintf("%d smaller arrays have the defaults.", d.others))
	}
}
