package hdf5

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// maxSoftLinks is the most soft links that may lead to an object.
const maxSoftLinks = 16

// ErrNoObject is the cause of errors about links and paths that lead to no object of
// the file, although the file is not corrupt.
var ErrNoObject = errors.New("no object of the file")

// Find returns the address of the object at a path: names of links, separated by "/".
// The path starts from the group at an address, or from the root if it begins with "/".
// Find follows soft links. It returns an error that wraps [ErrNoObject] if the path
// leads nowhere, in a circle, or out of the file.
func (f *File) Find(ctx context.Context, group uint64, path string) (uint64, error) {
	followed := 0
	at, err := f.find(ctx, group, path, &followed)
	if errors.Is(err, ErrNoObject) {
		err = fmt.Errorf("%.200q leads nowhere: %w", path, err)
	}
	return at, err
}

func (f *File) find(ctx context.Context, at uint64, path string, followed *int) (uint64, error) {
	if strings.HasPrefix(path, "/") {
		at = f.root
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." {
			continue
		}
		links, err := f.linksByName(ctx, at)
		if err != nil {
			return 0, err
		}
		l, found := links[name]
		if !found {
			return 0, ErrNoObject
		}
		if at, err = f.follow(ctx, at, l, followed); err != nil {
			return 0, err
		}
	}
	return at, nil
}

// linksByName returns the links of the group at an address. An object that is not a group
// has none. The links are kept for other paths through the group, and must not be modified.
func (f *File) linksByName(ctx context.Context, at uint64) (map[string]Link, error) {
	key := cacheKey{f, at}
	if known, ok := f.shared.links.get(key).(map[string]Link); ok {
		return known, nil
	}
	o, err := f.Object(ctx, at)
	if err != nil || o.kind != GroupObject {
		return nil, err
	}
	list, err := o.Links(ctx)
	if err != nil {
		return nil, err
	}
	const linkBytes = 160 // bytes of memory for a link besides its texts
	links, bytes := make(map[string]Link, len(list)), 0
	for _, l := range list {
		links[l.Name] = l
		bytes += linkBytes + len(l.Name) + len(l.Target) + len(l.File)
	}
	f.shared.links.put(key, links, bytes)
	return links, nil
}

// Follow returns the address of the object to which a link of the group at an address
// leads. The errors are those of Find.
func (f *File) Follow(ctx context.Context, group uint64, l Link) (uint64, error) {
	followed := 0
	at, err := f.follow(ctx, group, l, &followed)
	switch {
	case err == nil || l.Kind == HardLink:
		return at, err
	case l.Kind == ExternalLink:
		return 0, fmt.Errorf("the link %.60q leads to %.200q in the file %.200q, which is not followed: open that file itself: %w", l.Name, l.Target, l.File, err)
	case l.Kind == SoftLink && followed > maxSoftLinks:
		return 0, fmt.Errorf("the link %.60q leads to %.200q through more than %d soft links: %w", l.Name, l.Target, maxSoftLinks, err)
	case l.Kind == SoftLink:
		return 0, fmt.Errorf("the link %.60q leads to %.200q: %w", l.Name, l.Target, err)
	default:
		return 0, fmt.Errorf("the link %.60q is user-defined, and only the program that defined it can follow it: %w", l.Name, err)
	}
}

// follow is Follow on a path on which soft links were followed before. Its errors do
// not name the link.
func (f *File) follow(ctx context.Context, group uint64, l Link, followed *int) (uint64, error) {
	switch l.Kind {
	case HardLink:
		return l.Address, nil
	case SoftLink:
		if *followed++; *followed > maxSoftLinks {
			return 0, ErrNoObject
		}
		return f.find(ctx, group, l.Target, followed)
	default:
		return 0, ErrNoObject
	}
}
