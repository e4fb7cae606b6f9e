package jobfile

import (
	"cmp"
	"strings"
	"time"
)

func (p *parser) run(n *node, at *trail) {
	r := &p.job.Run
	const most = 1 << 20 // more workers or retries than that are a mistake
	p.fields(n, at, map[string]setter{
		"memory": p.size(&r.Memory, 16<<20),
		"workers": func(n *node, at *trail) {
			p.fields(n, at, map[string]setter{
				"read":   p.count(&r.Workers.Read, 0, most),
				"encode": p.count(&r.Workers.Encode, 0, most),
				"write":  p.count(&r.Workers.Write, 0, most),
			})
		},
		"requests": func(n *node, at *trail) {
			p.fields(n, at, map[string]setter{
				"per_second": p.rate(&r.PerSecond),
				"retries":    p.count(&r.Retries, 0, most),
			})
		},
		"checkpoint": func(n *node, at *trail) {
			p.fields(n, at, map[string]setter{
				"url":   p.location(&r.Checkpoint),
				"every": p.duration(&r.Every),
			})
		},
		"lock_ttl": p.durationFrom(time.Second, &r.LockLifetime),
		"path":     p.enum(&r.Path, "auto", "decode"),
		"digest":   p.enum(&r.Digest, "auto", "all", "none"),
		"notify":   p.notify(&r.Notify),
		"verify":   p.enum(&r.Verify, "none", "quick", "stored", "decoded", "source"),
	})
}

// notifyTime is the time that the command of run.notify has, unless the job says so.
const notifyTime = time.Minute

// notify reads a command: a list of words, or a mapping with the command and its time.
func (p *parser) notify(dst *Notify) setter {
	words := func(n *node, at *trail) {
		command := make([]string, len(n.items))
		ok := p.list(n, at, `a list of words, such as [mail, -s, migrated, "you@example.org"]`, func(i int) setter {
			return func(n *node, at *trail) {
				if n.kind == stringKind && i > 0 {
					command[i] = n.text // may be empty
				} else {
					p.str(&command[i])(n, at)
				}
				if strings.ContainsRune(command[i], 0) {
					p.report(n.at, at, "has a NUL byte, which no command may have", "")
				}
			}
		})
		switch {
		case ok && len(command) == 0:
			p.report(n.at, at, "the list is empty", "")
		case ok:
			dst.Command, dst.Timeout = command, cmp.Or(dst.Timeout, notifyTime)
		}
	}
	mapping := func(n *node, at *trail) {
		p.fields(n, at, map[string]setter{"command": words, "timeout": p.duration(&dst.Timeout)}, "command")
	}
	return func(n *node, at *trail) {
		if n.takesEither(at, words, mapping) {
			return
		}
		switch n.kind {
		case mapKind:
			mapping(n, at)
		case stringKind:
			p.want(n, at, "a list of words", "no shell reads the command: [sh, -c, …] calls one")
		default:
			words(n, at)
		}
	}
}
