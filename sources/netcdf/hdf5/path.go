package hdf5

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
)

// maxSoftLinks is how many soft links lead to an object at most.
const maxSoftLinks = 16

// Find returns the address of the object at a path: names of links separated
// by "/", from the group at an address, or from the root where the path begins
// with "/". Soft links on the way are followed. A path that leads nowhere is an
// error that wraps [fs.ErrNotExist], one that leads out of the file one that
// wraps [errors.ErrUnsupported].
func (f *File) Find(ctx context.Context, group uint64, path string) (uint64, error) {
	followed := 0
	return f.find(ctx, group, path, &followed)
}

func (f *File) find(ctx context.Context, at uint64, path string, followed *int) (uint64, error) {
	if strings.HasPrefix(path, "/") {
		at = f.root
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." {
			continue
		}
		o, err := f.Object(ctx, at)
		if err != nil {
			return 0, err
		}
		if o.kind != GroupObject {
			return 0, fmt.Errorf("%.200q: %w", path, fs.ErrNotExist)
		}
		links, err := o.Links(ctx)
		if err != nil {
			return 0, err
		}
		found := false
		for _, l := range links {
			if l.Name != name {
				continue
			}
			found = true
			if at, err = f.follow(ctx, at, l, followed); err != nil {
				return 0, err
			}
		}
		if !found {
			return 0, fmt.Errorf("%.200q: %w", path, fs.ErrNotExist)
		}
	}
	return at, nil
}

// Follow returns the address of the object that a link of the group at an
// address leads to; the errors are those of Find.
func (f *File) Follow(ctx context.Context, group uint64, l Link) (uint64, error) {
	followed := 0
	return f.follow(ctx, group, l, &followed)
}

func (f *File) follow(ctx context.Context, group uint64, l Link, followed *int) (uint64, error) {
	switch l.Kind {
	case HardLink:
		return l.Address, nil
	case SoftLink:
		if *followed++; *followed > maxSoftLinks {
			return 0, corrupt("the link %.60q leads through more than %d others", l.Name, maxSoftLinks)
		}
		at, err := f.find(ctx, group, l.Target, followed)
		if err != nil {
			return 0, fmt.Errorf("the link %.60q: %w", l.Name, err)
		}
		return at, nil
	case ExternalLink:
		return 0, unsupported("the link %.60q leads to %.200q in the file %.200q, which is not followed: open that file itself", l.Name, l.Target, l.File)
	default:
		return 0, unsupported("the link %.60q is of a kind that only some program knows", l.Name)
	}
}
