package hdf5

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// maxFollowed is the most soft and external links that may lead to an object.
const maxFollowed = 16

// ErrNoObject is the cause of errors about links and paths that lead to no object,
// although no file is corrupt.
var ErrNoObject = errors.New("no object of the file")

// Place is where an object is: the address of its header in a file.
type Place struct {
	File    *File
	Address uint64
}

// Object opens the object at the place.
func (p Place) Object(ctx context.Context) (*Object, error) { return p.File.Object(ctx, p.Address) }

// Find returns the place of the object at a path: names of links, separated by "/".
// The path starts from the group at an address, or from the root if it begins with "/".
// Find follows soft links, and external links into files that [Options].Other opens. It
// returns an error that wraps [ErrNoObject] if the path leads nowhere or in a circle.
func (f *File) Find(ctx context.Context, group uint64, path string) (Place, error) {
	followed := 0
	at, err := find(ctx, Place{f, group}, path, &followed)
	if errors.Is(err, ErrNoObject) {
		err = fmt.Errorf("%.200q leads nowhere: %w", path, err)
	}
	return at, err
}

func find(ctx context.Context, at Place, path string, followed *int) (Place, error) {
	if strings.HasPrefix(path, "/") {
		at.Address = at.File.root
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." {
			continue
		}
		links, err := at.File.linksByName(ctx, at.Address)
		if err != nil {
			return Place{}, err
		}
		l, found := links[name]
		if !found {
			return Place{}, ErrNoObject
		}
		if at, err = follow(ctx, at, l, followed); err != nil {
			return Place{}, err
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

// Follow returns the place of the object to which a link of the group at an address
// leads. The errors are those of Find, and those of [Options].Other.
func (f *File) Follow(ctx context.Context, group uint64, l Link) (Place, error) {
	followed := 0
	at, err := follow(ctx, Place{f, group}, l, &followed)
	switch {
	case err == nil || l.Kind == HardLink:
		return at, err
	case l.Kind == ExternalLink && followed <= maxFollowed:
		return Place{}, fmt.Errorf("the link %.60q leads to %.200q in the file %.200q: %w", l.Name, l.Target, l.File, err)
	case followed > maxFollowed:
		return Place{}, fmt.Errorf("the link %.60q leads to %.200q through more than %d soft and external links: %w", l.Name, l.Target, maxFollowed, err)
	case l.Kind == SoftLink:
		return Place{}, fmt.Errorf("the link %.60q leads to %.200q: %w", l.Name, l.Target, err)
	default:
		return Place{}, fmt.Errorf("the link %.60q is user-defined, and only the program that defined it can follow it: %w", l.Name, err)
	}
}

// errCircle is the error about a path through too many links, some of them to other files.
var errCircle = unsupported("links between files that lead in a circle")

// follow is Follow on a path on which links were followed before. Its errors do not name
// the link.
func follow(ctx context.Context, from Place, l Link, followed *int) (Place, error) {
	switch l.Kind {
	case HardLink:
		return Place{from.File, l.Address}, nil
	case SoftLink:
		if *followed++; *followed > maxFollowed {
			return Place{}, ErrNoObject
		}
		return find(ctx, from, l.Target, followed)
	case ExternalLink:
		if *followed++; *followed > maxFollowed {
			return Place{}, errCircle
		}
		other, err := from.File.other(ctx, l.File)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", ErrNoObject, err)
		}
		if err != nil {
			return Place{}, err
		}
		return find(ctx, Place{other, other.root}, l.Target, followed)
	default:
		return Place{}, ErrNoObject
	}
}

// other opens the HDF5 file that has a name in this file.
func (f *File) other(ctx context.Context, name string) (*File, error) {
	if f.others == nil {
		return nil, errOtherFile
	}
	return f.others.File(ctx, name)
}

// errOtherFile refuses other files if the caller opens none.
var errOtherFile = fmt.Errorf("other files are not followed: open that file itself: %w: %w", ErrNoObject, errors.ErrUnsupported)
