// Package zip reads the members of a zip archive, which another driver reads.
package zip

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/zmigrate/zmigrate/codecs/inflate"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// Compression methods of the members of a zip archive.
const (
	stored   = 0
	deflated = 8
)

// Kind names the kind of place in messages.
const Kind driver.ReadOnly = "a zip archive"

const (
	// headerSlack is how many bytes of extra fields are expected at most in the header
	// in front of a member, so that one read gets the header and the member.
	headerSlack = 64
	// inflateBuffer is how much of a deflated member is read at a time.
	inflateBuffer = 256 << 10
	// mostInflation is how many bytes a byte of deflated data can stand for.
	mostInflation = 1032
)

// Driver is the driver of a zip archive, or of a folder in the archive. Another driver
// reads the archive's bytes. The archive's directory is read when the store is opened.
type Driver struct {
	driver.ReadOnly
	inner   driver.Driver
	near    bool        // the archive is not behind a network
	archive driver.Info // as it was when the store was opened
	prefix  string
	members directory
	checked *checkedMembers

	inflates sync.Pool // of *inflate.Decoder
}

// In cuts a path at the first part that ends in ".zip". It returns the location of the
// folder before the archive, the name of the archive in it, and the rest of the path,
// which is inside the archive. A local path is clean. ok is false if no part ends in ".zip".
func In(l location.Location) (folder location.Location, name, inside string, ok bool) {
	p := l.Path
	if l.Local() {
		p = filepath.ToSlash(p)
	}
	parts := strings.Split(p, "/")
	i := slices.IndexFunc(parts, func(part string) bool { return strings.HasSuffix(part, ".zip") })
	if i < 0 {
		return l, "", "", false
	}
	folder = l
	folder.Path = strings.Join(parts[:i], "/")
	if l.Local() {
		folder.Path = filepath.FromSlash(folder.Path + "/")
	}
	return folder, parts[i], strings.Join(parts[i+1:], "/"), true
}

// Open opens the archive that a driver has under a key, or the folder of the archive
// that inside names. It makes requests through do. If there is no such file, the error
// wraps fs.ErrNotExist.
func Open(ctx context.Context, inner driver.Driver, near bool, key, inside string, r *limits.Requests) (*Driver, error) {
	z := &Driver{ReadOnly: Kind, inner: inner, near: near}
	if inside != "" {
		z.prefix = inside + "/"
	}
	err := r.Do(ctx, "stat", "", 0, func(ctx context.Context) (err error) {
		z.archive, err = z.inner.Stat(ctx, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = r.Do(ctx, "read", "", mostDirectory, func(ctx context.Context) (err error) {
		z.members, err = readDirectory(ctx, z.archive.Size, z.readArchive)
		z.checked = newCheckedMembers(len(z.members))
		return err
	})
	return z, err
}

func (z *Driver) readArchive(ctx context.Context, p []byte, off int64) error {
	return z.inner.Read(ctx, z.archive.Key, p, off, z.archive)
}

func (z *Driver) member(key string) (*member, error) {
	m := z.members.find(z.prefix + key)
	switch {
	case m == nil:
		return nil, fs.ErrNotExist
	case m.encrypted:
		return nil, fmt.Errorf("encrypted in the zip archive: %w", errors.ErrUnsupported)
	case m.method != stored && m.method != deflated:
		return nil, fmt.Errorf("compressed by method %d in the zip archive; only stored and deflated members are read: %w", m.method, errors.ErrUnsupported)
	case m.packed > z.archive.Size:
		return nil, damaged("a member of %d compressed bytes, more than the archive has", m.packed)
	case m.method == stored && m.packed != m.size, m.method == deflated && m.size/mostInflation > m.packed:
		return nil, damaged("a member whose %d compressed bytes cannot stand for %d", m.packed, m.size)
	}
	return m, nil
}

// open returns where the contents of a member begin in the archive. It also returns those
// first bytes of the contents, at most n, that were read together with the header.
func (z *Driver) open(ctx context.Context, m *member, n int64) (int64, []byte, error) {
	if m.header > z.archive.Size-localHeaderSize {
		return 0, nil, damaged("a member at %d, behind the end", m.header)
	}
	text := make([]byte, min(localHeaderSize+int64(len(m.key))+headerSlack+n, z.archive.Size-m.header))
	if err := z.readArchive(ctx, text, m.header); err != nil {
		return 0, nil, err
	}
	if string(text[:4]) != "PK\x03\x04" {
		return 0, nil, damaged("no member at %d", m.header)
	}
	name := text[localHeaderSize:][:min(int(binary.LittleEndian.Uint16(text[26:])), len(text)-localHeaderSize)]
	if string(name) != m.key {
		return 0, nil, damaged("the member at %d is %.60q", m.header, name)
	}
	begin := localHeaderSize + int64(binary.LittleEndian.Uint16(text[26:])) + int64(binary.LittleEndian.Uint16(text[28:]))
	if m.packed > z.archive.Size-m.header-begin {
		return 0, nil, damaged("a member of %d bytes at %d reaches behind the end", m.packed, m.header)
	}
	text = text[:copy(text, text[min(begin, int64(len(text))):])] // moved to the beginning, where memory is aligned
	return m.header + begin, text[:min(n, int64(len(text)))], nil
}

// Read compares the checksum of a member that it reads whole, or decompresses to the
// end. Before it reads a part of a member of a near archive, it reads the whole member
// once and compares it. A part of an archive behind a network is not compared, because
// the rest of the member may be large.
func (z *Driver) Read(ctx context.Context, key string, p []byte, off int64, _ driver.Info) error {
	m, err := z.member(key)
	if err != nil {
		return err
	}
	if off > m.size-int64(len(p)) {
		return &driver.ShortError{Off: off, Want: int64(len(p)), Size: m.size}
	}
	whole := int64(len(p)) == m.size
	if z.near && !whole {
		if err := z.compared(ctx, m); err != nil {
			return err
		}
	}
	if m.method == deflated {
		return z.inflate(ctx, m, off, p)
	}
	begin, _, err := z.open(ctx, m, 0)
	if err == nil {
		err = z.readArchive(ctx, p, begin+off)
	}
	if err == nil && whole {
		err = m.compare(crc32.ChecksumIEEE(p))
	}
	return err
}

func (z *Driver) ReadAll(ctx context.Context, key string, limit int64, room func(int) []byte) ([]byte, string, error) {
	m, err := z.member(key)
	if err != nil {
		return nil, "", err
	}
	if m.size > limit {
		return nil, "", fmt.Errorf("%w: %d bytes, at most %d wanted", driver.ErrTooLarge, m.size, limit)
	}
	if m.method == deflated {
		data := room(int(m.size))
		return data, "", z.inflate(ctx, m, 0, data)
	}
	begin, data, err := z.open(ctx, m, m.size)
	if err == nil && int64(len(data)) != m.size {
		data = room(int(m.size))
		err = z.readArchive(ctx, data, begin)
	}
	if err == nil {
		err = m.compare(crc32.ChecksumIEEE(data))
	}
	return data, "", err
}

// inflate fills p with the contents of a deflated member from off on. Everything before
// off has to be decompressed, too. If p reaches the end of the member, the checksum is
// compared.
func (z *Driver) inflate(ctx context.Context, m *member, off int64, p []byte) error {
	if int64(len(p)) == m.size && m.packed <= inflateBuffer {
		return z.inflateWhole(ctx, m, p)
	}
	packed, err := z.packed(ctx, m)
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	contents := flate.NewReader(packed)
	_, err = io.CopyN(sum, contents, off)
	if err == nil {
		_, err = io.ReadFull(contents, p)
	}
	end := off+int64(len(p)) == m.size
	if err == nil && end {
		if n, more := io.CopyN(io.Discard, contents, 1); n > 0 || !errors.Is(more, io.EOF) {
			err = fmt.Errorf("more than %d bytes", m.size)
		}
	}
	switch {
	case packed.failed != nil:
		return packed.failed
	case err != nil:
		return damaged("a deflated member: %v", err) // not wrapped: an EOF would count as transient
	case end:
		_, _ = sum.Write(p) // never fails
		return m.compare(sum.Sum32())
	}
	return nil
}

// inflateWhole fills p with all contents of a small deflated member.
func (z *Driver) inflateWhole(ctx context.Context, m *member, p []byte) error {
	begin, packed, err := z.open(ctx, m, m.packed)
	if err == nil && int64(len(packed)) < m.packed {
		packed = make([]byte, m.packed)
		err = z.readArchive(ctx, packed, begin)
	}
	if err != nil {
		return err
	}
	d, ok := z.inflates.Get().(*inflate.Decoder)
	if !ok {
		d = new(inflate.Decoder)
	}
	defer z.inflates.Put(d)
	n, _, err := d.Raw(p, packed)
	switch {
	case errors.Is(err, inflate.ErrTooLarge):
		err = fmt.Errorf("more than %d bytes", m.size)
	case err == nil && n < len(p):
		err = fmt.Errorf("%d bytes instead of %d", n, m.size)
	}
	if err != nil {
		return damaged("a deflated member: %v", err)
	}
	return m.compare(crc32.ChecksumIEEE(p))
}

// packed returns a reader of the compressed bytes of a member.
func (z *Driver) packed(ctx context.Context, m *member) (*packedReader, error) {
	begin, first, err := z.open(ctx, m, min(m.packed, inflateBuffer))
	if err != nil {
		return nil, err
	}
	r := &packedReader{}
	next, left := begin+int64(len(first)), m.packed-int64(len(first))
	rest := readerFunc(func(p []byte) (int, error) {
		if left == 0 {
			return 0, io.EOF
		}
		p = p[:min(int64(len(p)), left)]
		if r.failed = z.readArchive(ctx, p, next); r.failed != nil {
			return 0, r.failed
		}
		next, left = next+int64(len(p)), left-int64(len(p))
		return len(p), nil
	})
	r.Reader = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(first), rest), int(min(m.packed, inflateBuffer)))
	return r, nil
}

// packedReader reads the compressed bytes of a member.
type packedReader struct {
	*bufio.Reader
	failed error // of reading the archive, which decoders would hide
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Stat describes a member. ModTime is that of the archive as it is now, so that the
// caller sees if the archive has been replaced.
func (z *Driver) Stat(ctx context.Context, key string) (driver.Info, error) {
	m, err := z.member(key)
	if err != nil {
		return driver.Info{}, err
	}
	now, err := z.inner.Stat(ctx, z.archive.Key)
	if err != nil {
		return driver.Info{}, err
	}
	return driver.Info{
		Key: key, Size: m.size, ModTime: now.ModTime, ETag: fmt.Sprintf("%s%08x", now.ETag, m.sum),
		Sum: driver.Sum{Table: crc32.IEEETable, Value: m.sum},
	}, nil
}

func (z *Driver) List(prefix string) driver.Pager {
	done := false
	return func(context.Context) ([]driver.Info, error) {
		if done {
			return nil, driver.ErrEnd
		}
		done = true
		var page []driver.Info
		for _, m := range z.members {
			key, inside := strings.CutPrefix(m.key, z.prefix)
			if inside && strings.HasPrefix(key, prefix) {
				page = append(page, driver.Info{Key: key, Size: m.size, ModTime: z.archive.ModTime})
			}
		}
		return page, nil
	}
}

func (z *Driver) Close() error { return z.inner.Close() }

func (z *Driver) Folders(prefix string) driver.FolderPager {
	return driver.OnePage(func() ([]string, error) {
		var names []string
		for _, m := range z.members {
			key, inside := strings.CutPrefix(m.key, z.prefix+prefix)
			if name := location.FolderName("", key); inside && name != "" && (len(names) == 0 || names[len(names)-1] != name) {
				names = append(names, name)
			}
		}
		return names, nil
	})
}
