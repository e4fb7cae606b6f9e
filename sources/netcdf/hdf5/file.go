package hdf5

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"
)

// Options are the settings of Open. The zero value is usable.
type Options struct {
	// Shared is the caches that this file shares with others; nil: it shares none.
	Shared *Shared
	// Page is the number of bytes of metadata that are read at once. It should be as
	// many bytes as take the time of one more request. It is at least 4 KiB; 0 stands
	// for 64 KiB.
	Page int
	// Gap is the most unneeded bytes between two chunks that are cheaper to read than
	// one more request.
	Gap int
	// Others opens the files to which this file refers: in external links, in virtual
	// datasets, and for elements that are in other files. nil: none can be opened.
	Others Others
}

// Others opens other files, by the names that a file has for them. Its errors about files
// that do not exist wrap [fs.ErrNotExist], and those about files that may not be read
// [errors.ErrUnsupported].
type Others interface {
	// File opens an HDF5 file. For the same file, it returns the same File.
	File(ctx context.Context, name string) (*File, error)
	// Reader opens a file of any kind. It returns its size, too.
	Reader(ctx context.Context, name string) (Reader, int64, error)
}

// File is an opened file. It is safe for concurrent use.
type File struct {
	r       Reader
	size    int64  // bytes
	base    uint64 // place of the superblock, from which addresses count
	version int    // of the superblock
	page    int
	gap     int
	shared  *Shared
	others  Others
	widths
	root uint64 // address of the root group's header
	sohm []sharedIndex

	naming sync.Mutex        // guards named
	named  map[uint64]string // see paths
}

// signature is the beginning of a superblock.
const signature = "\x89HDF\r\n\x1a\n"

// Is reports whether a file with this beginning is an HDF5 file. The superblock is at
// the beginning, or behind a user block at byte 512, 1024, 2048 and so on.
func Is(beginning []byte) bool {
	for at := 0; at <= len(beginning)-len(signature); at = behind(at) {
		if string(beginning[at:at+len(signature)]) == signature {
			return true
		}
	}
	return false
}

// behind returns the next place for a superblock that is not at byte at.
func behind(at int) int { return max(512, 2*at) }

// Open reads the superblock of a file of size bytes. The File uses the Reader until its
// last read. The caller closes the Reader.
func Open(ctx context.Context, r Reader, size int64, opt Options) (*File, error) {
	f := &File{r: r, size: size, page: opt.Page, gap: opt.Gap, shared: opt.Shared, others: opt.Others, widths: widths{8, 8}}
	if f.shared == nil {
		f.shared = NewShared(0)
	}
	if f.page == 0 {
		f.page = 64 << 10
	}
	f.page = max(f.page, minPage)
	for at := 0; int64(at) <= size-int64(len(signature)); at = behind(at) {
		b, err := f.bytes(ctx, uint64(at), len(signature))
		if err != nil {
			return nil, err
		}
		if string(b) == signature {
			f.base = uint64(at)
			return f, f.superblock(ctx)
		}
	}
	return nil, corrupt("there is no HDF5 superblock in the file's %d bytes", size)
}

// Root returns the address of the root group.
func (f *File) Root() uint64 { return f.root }

// Version returns the version of the superblock.
func (f *File) Version() int { return f.version }

// superblock reads the superblock, and the extension of a superblock of version 2 or 3.
func (f *File) superblock(ctx context.Context) error {
	c, err := f.cursor(ctx, 0, int(min(128, uint64(f.size)-f.base)))
	if err != nil {
		return err
	}
	c.skip(len(signature))
	version := c.uint8()
	f.version = int(version)
	var end, extension uint64
	switch version {
	case 0, 1:
		end, err = f.superblock0(c, version)
		extension = undefined
	case 2, 3:
		end, extension, err = f.superblock2(c)
	default:
		err = unsupported("version %d", version)
	}
	if err == nil {
		err = c.err
	}
	if err != nil {
		return fmt.Errorf("superblock at byte %d: %w", f.base, err)
	}
	if end != undefined && end > uint64(f.size)-f.base {
		return fmt.Errorf("truncated: the file has %d bytes, its superblock says %d (%w): get the file again", f.size, f.base+end, io.ErrUnexpectedEOF)
	}
	if extension == undefined {
		return nil
	}
	if err := f.extension(ctx, extension); err != nil {
		return fmt.Errorf("superblock extension: %w", err)
	}
	return nil
}

// setWidths reads the sizes of addresses and lengths.
func (f *File) setWidths(c *cursor) error {
	f.widths = widths{int(c.uint8()), int(c.uint8())}
	for _, n := range []int{f.offset, f.length} {
		if c.err == nil && n != 2 && n != 4 && n != 8 {
			return unsupported("addresses of %d bytes and lengths of %d: want 2, 4 or 8", f.offset, f.length)
		}
	}
	c.widths = f.widths
	return c.err
}

// superblock0 reads a superblock of version 0 or 1 behind its version. It returns the
// number of bytes from the superblock to the end of the file.
func (f *File) superblock0(c *cursor, version uint8) (end uint64, err error) {
	c.skip(4) // versions of the free space, the root group and shared headers
	if err := f.setWidths(c); err != nil {
		return 0, err
	}
	c.skip(1 + 2 + 2 + 4)
	if version == 1 {
		c.skip(4)
	}
	base := c.address()
	c.skip(f.offset) // free space
	end = length(base, c.address())
	driver := c.address()
	c.skip(f.length) // place of the root group's name
	f.root = c.address()
	if c.err == nil && driver != undefined {
		return 0, errParts
	}
	return end, c.err
}

// superblock2 reads a superblock of version 2 or 3 behind its version. It returns the
// number of bytes from the superblock to the end of the file, and the address of the
// extension.
func (f *File) superblock2(c *cursor) (end, extension uint64, err error) {
	if err := f.setWidths(c); err != nil {
		return 0, 0, err
	}
	c.skip(1)
	base := c.address()
	extension, end, f.root = c.address(), length(base, c.address()), c.address()
	if c.err == nil && len(c.data) >= c.at+4 {
		c.data = c.data[:c.at+4]
	}
	if c.err == nil {
		c.err = c.verify()
	}
	return end, extension, c.err
}

// length returns the number of bytes from a superblock to the end of the file, from the
// stored places of both. If the superblock was moved later, the addresses are still
// right, because they count from it.
func length(base, end uint64) uint64 {
	if end == undefined || end < base {
		return end
	}
	return end - base
}

// errParts refuses a file that is one of several that make up a data set.
var errParts = unsupported("the file is one of a family, or has its metadata in another file: write it as one file with h5repack")

// extension reads the messages of a superblock extension.
func (f *File) extension(ctx context.Context, address uint64) error {
	h, err := f.header(ctx, address)
	if err != nil {
		return err
	}
	for _, m := range h.messages {
		switch m.kind {
		case msgDriver:
			return errParts
		case msgCacheImage:
			return unsupported("a part of the metadata is in an image of the writer's cache: write the file again with h5repack")
		case msgSharedTable:
			if err := f.sharedTable(ctx, m.data); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxRank is the most dimensions of a dataset, H5S_MAX_RANK.
const maxRank = 32

// Unlimited is the largest extent of a dimension that can grow without bound.
const Unlimited = -1

// dataspace reads a dataspace message: the extents and the largest extents. null is
// true for a space without elements and without a shape.
func (f *File) dataspace(data []byte) (shape, limits []int, null bool, err error) {
	c := &cursor{data: data, widths: f.widths}
	version, rank, flags := c.uint8(), int(c.uint8()), c.uint8()
	switch version {
	case 1:
		c.skip(5)
	case 2:
		kind := c.uint8()
		if kind > 2 || kind != 1 && rank > 0 {
			return nil, nil, false, corrupt("dataspace of kind %d with %d dimensions", kind, rank)
		}
		null = kind == 2
	default:
		return nil, nil, false, unsupported("dataspace message of version %d", version)
	}
	if rank > maxRank {
		return nil, nil, false, corrupt("dataspace with %d dimensions", rank)
	}
	shape, limits = make([]int, rank), make([]int, rank)
	for i := range shape {
		shape[i] = c.intOf(c.size(), "an extent")
		limits[i] = shape[i]
	}
	for i := range limits {
		if flags&1 == 0 {
			break
		}
		if n := c.size(); n == math.MaxUint64 {
			limits[i] = Unlimited
		} else if limits[i] = c.intOf(n, "a largest extent"); limits[i] < shape[i] && c.err == nil {
			c.err = corrupt("extent %d of dimension %d is above its largest, %d", shape[i], i, limits[i])
		}
	}
	return shape, limits, null, c.err
}
