package places

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/zarr"
)

// aroundTime bounds the search for hierarchies around the target. So a plan does not wait
// for a store that does not answer.
const aroundTime = 5 * time.Second

// noFolder returns the problem of a local target that cannot become a folder: a file lies there, or
// where a folder around the target would have to be, or a link that leads nowhere.
func noFolder(j *jobfile.Job) (p jobfile.Problem, found bool) {
	if !store.Local(j.Target.URL) || j.Target.References != "" {
		return p, false
	}
	for at := store.Resolved(j.Target.URL); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch to, noLink := os.Readlink(at); {
		case err == nil && !info.IsDir():
			return j.Problem("target.url", fmt.Sprintf("%s is a file, and a hierarchy is a folder", at), "move the file away, or choose another place for the target"), true
		case errors.Is(err, fs.ErrNotExist) && noLink == nil:
			return j.Problem("target.url", fmt.Sprintf("%s is a symbolic link to %s, which does not exist", at, to), "create that folder, or remove the link"), true
		case err == nil || at == filepath.Dir(at):
			return p, false
		}
	}
}

// Around looks for a hierarchy around the target, by the documents in the folders above it
// as far as they can be read. unlisted is the URL of the outermost group around the target
// that has consolidated metadata; "": there is no such group. Around warns if readers of that
// group will not see the target in the consolidated metadata, and if the checkpoint lies in
// the hierarchy. A target inside an array is an error, and so is one in the place of a file,
// or of a link that leads nowhere.
func Around(ctx context.Context, j *jobfile.Job, env environment.Environment, limits *limits.Limits) (unlisted string, findings jobfile.Problems, err error) {
	if p, found := noFolder(j); found {
		return "", nil, &jobfile.PlaceError{Problems: jobfile.Problems{p}}
	}
	ctx, cancel := context.WithTimeout(ctx, aroundTime)
	defer cancel()
	var root string
	for at := j.Target.URL; ; {
		base, query, queried := strings.Cut(at, "?")
		above := strings.TrimRight(base, "/")
		if queried {
			above += "?" + query
		}
		folder, _, err := store.Split(above)
		if err != nil {
			break // a whole bucket
		}
		text, err := readDocument(ctx, j, folder, env, limits)
		if err != nil {
			break // no document that can be read
		}
		kind, err := zarr.NodeType(text)
		if err == nil && kind == "array" {
			return "", nil, jobfile.Problems{j.Problem("target.url", fmt.Sprintf("lies inside of the array %s", store.Shown(folder)), "choose another place for the target")}
		}
		g, err := zarr.ParseGroup(text)
		if err != nil {
			break
		}
		root, at = folder, folder
		if g.Consolidated != nil {
			unlisted = store.Shown(folder)
		}
	}
	if root == "" {
		return "", nil, nil
	}
	warn := func(field, code, hint, format string, args ...any) {
		w := j.Problem(field, fmt.Sprintf(format, args...), hint)
		w.Warning, w.Code = true, code
		findings = append(findings, w)
	}
	if unlisted != "" {
		warn("target.url", "unlisted-target", "consolidate its metadata anew after the run, by zarr.consolidate_metadata of zarr-python",
			"the target lies in the hierarchy %s, and readers that go by the consolidated metadata there do not see it", unlisted)
	}
	checkpoint, err := j.CheckpointURL()
	if err == nil && store.Inside(checkpoint, root) {
		warn("run.checkpoint.url", "checkpoint-in-hierarchy", "name a place outside of it in run.checkpoint.url",
			"the checkpoint %s lies in the hierarchy %s, but is no part of that hierarchy", store.Shown(checkpoint), store.Shown(root))
	}
	return unlisted, findings, nil
}

// readDocument reads the document of the v3 node at a URL, without retries.
func readDocument(ctx context.Context, j *jobfile.Job, url string, env environment.Environment, limits *limits.Limits) (text []byte, err error) {
	opt := env.StoreOptions(j, limits)
	opt.Retries = -1
	st, err := store.Open(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return st.ReadAll(ctx, zarr.MetadataKey, zarr.MaxDocument)
}
