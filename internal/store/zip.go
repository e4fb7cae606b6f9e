package store

import (
	"bufio"
	"bytes"
	"compress/flate"
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
)

// Compression methods of the members of a zip archive.
const (
	zipStored   = 0
	zipDeflated = 8
)

const (
	// headerSlack is how many bytes of extra fields are expected at most in the header
	// in front of a member, so that one read gets the header and the member.
	headerSlack = 64
	// inflateBuffer is how much of a deflated member is read at a time.
	inflateBuffer = 256 << 10
	// mostInflation is how many bytes a byte of deflated data can stand for.
	mostInflation = 1032
)

// zipped is the driver of a zip archive, or of a folder in the archive. Another driver
// reads the archive's bytes. The archive's directory is read when the store is opened.
type zipped struct {
	readOnly
	inner   driver
	near    bool // the archive is not behind a network
	archive Info // as it was when the store was opened
	prefix  string
	members directory
	checked *checkedMembers
}

// zipIn cuts a path at the first part that ends in ".zip". It returns the location of the
// folder before the archive, the name of the archive in it, and the rest of the path,
// which is inside the archive. ok is false if no part ends in ".zip".
func zipIn(l location) (folder location, name, inside string, ok bool) {
	p := l.path
	if l.local() {
		p = filepath.ToSlash(filepath.Clean(p))
	}
	parts := strings.Split(p, "/")
	i := slices.IndexFunc(parts, func(part string) bool { return strings.HasSuffix(part, ".zip") })
	if i < 0 {
		return l, "", "", false
	}
	folder = l
	folder.path = strings.Join(parts[:i], "/")
	if l.local() {
		folder.path = filepath.FromSlash(folder.path + "/")
	}
	return folder, parts[i], strings.Join(parts[i+1:], "/"), true
}

// openZip opens the archive that a driver has under a key, or the folder of the archive
// that inside names. It makes requests through do. If there is no such file, the error
// wraps fs.ErrNotExist.
func openZip(ctx context.Context, inner driver, near bool, key, inside string, r *requests) (*zipped, error) {
	z := &zipped{readOnly: zipArchive, inner: inner, near: near}
	if inside != "" {
		z.prefix = inside + "/"
	}
	err := r.do(ctx, "stat", "", 0, func(ctx context.Context) (err error) {
		z.archive, err = z.inner.stat(ctx, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = r.do(ctx, "read", "", mostDirectory, func(ctx context.Context) (err error) {
		z.members, err = readDirectory(ctx, z.archive.Size, z.readArchive)
		z.checked = newCheckedMembers(len(z.members))
		return err
	})
	return z, err
}

func (z *zipped) readArchive(ctx context.Context, p []byte, off int64) error {
	return z.inner.read(ctx, z.archive.Key, p, off, z.archive)
}

func (z *zipped) member(key string) (*member, error) {
	m := z.members.find(z.prefix + key)
	switch {
	case m == nil:
		return nil, fs.ErrNotExist
	case m.encrypted:
		return nil, fmt.Errorf("encrypted in the zip archive: %w", errors.ErrUnsupported)
	case m.method != zipStored && m.method != zipDeflated:
		return nil, fmt.Errorf("compressed by method %d in the zip archive, only those stored or deflated are read: %w", m.method, errors.ErrUnsupported)
	case m.packed > z.archive.Size:
		return nil, damagedZip("%d bytes are more than it has", m.packed)
	case m.method == zipStored && m.packed != m.size, m.method == zipDeflated && m.size/mostInflation > m.packed:
		return nil, damagedZip("%d bytes cannot stand for %d", m.packed, m.size)
	}
	return m, nil
}

// open returns where the contents of a member begin in the archive. It also returns those
// first bytes of the contents, at most n, that were read together with the header.
func (z *zipped) open(ctx context.Context, m *member, n int64) (int64, []byte, error) {
	if m.header > z.archive.Size-localHeaderSize {
		return 0, nil, damagedZip("a member at %d, behind the end", m.header)
	}
	text := make([]byte, min(localHeaderSize+int64(len(m.key))+headerSlack+n, z.archive.Size-m.header))
	if err := z.readArchive(ctx, text, m.header); err != nil {
		return 0, nil, err
	}
	if string(text[:4]) != "PK\x03\x04" {
		return 0, nil, damagedZip("no member at %d", m.header)
	}
	name := text[localHeaderSize:][:min(int(binary.LittleEndian.Uint16(text[26:])), len(text)-localHeaderSize)]
	if string(name) != m.key {
		return 0, nil, damagedZip("the member at %d is %.60q", m.header, name)
	}
	begin := localHeaderSize + int64(binary.LittleEndian.Uint16(text[26:])) + int64(binary.LittleEndian.Uint16(text[28:]))
	if m.packed > z.archive.Size-m.header-begin {
		return 0, nil, damagedZip("a member of %d bytes at %d reaches behind the end", m.packed, m.header)
	}
	text = text[:copy(text, text[min(begin, int64(len(text))):])] // moved to the beginning, where memory is aligned
	return m.header + begin, text[:min(n, int64(len(text)))], nil
}

// read compares the checksum of a member that it reads whole, or decompresses to the
// end. Before it reads a part of a member of a near archive, it reads the whole member
// once and compares it. A part of an archive behind a network is not compared, because
// the rest of the member may be large.
func (z *zipped) read(ctx context.Context, key string, p []byte, off int64, _ Info) error {
	m, err := z.member(key)
	if err != nil {
		return err
	}
	if off > m.size-int64(len(p)) {
		return &shortError{off: off, want: int64(len(p)), size: m.size}
	}
	whole := int64(len(p)) == m.size
	if z.near && !whole {
		if err := z.compared(ctx, m); err != nil {
			return err
		}
	}
	if m.method == zipDeflated {
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

func (z *zipped) readAll(ctx context.Context, key string, limit int64, room func(int) []byte) ([]byte, string, error) {
	m, err := z.member(key)
	if err != nil {
		return nil, "", err
	}
	if m.size > limit {
		return nil, "", fmt.Errorf("%w: %d bytes, at most %d wanted", ErrTooLarge, m.size, limit)
	}
	if m.method == zipDeflated {
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
func (z *zipped) inflate(ctx context.Context, m *member, off int64, p []byte) error {
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
		return damagedZip("a deflated member: %v", err) // not wrapped: an EOF would count as transient
	case end:
		_, _ = sum.Write(p) // never fails
		return m.compare(sum.Sum32())
	}
	return nil
}

// packed returns a reader of the compressed bytes of a member.
func (z *zipped) packed(ctx context.Context, m *member) (*packedReader, error) {
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

// stat describes a member. ModTime is that of the archive as it is now, so that the
// caller sees if the archive has been replaced.
func (z *zipped) stat(ctx context.Context, key string) (Info, error) {
	m, err := z.member(key)
	if err != nil {
		return Info{}, err
	}
	now, err := z.inner.stat(ctx, z.archive.Key)
	if err != nil {
		return Info{}, err
	}
	return Info{
		Key: key, Size: m.size, ModTime: now.ModTime, ETag: fmt.Sprintf("%s%08x", now.ETag, m.sum),
		Sum: Sum{crc32.IEEETable, m.sum},
	}, nil
}

func (z *zipped) list(prefix string) pager {
	done := false
	return func(context.Context) ([]Info, error) {
		if done {
			return nil, errEnd
		}
		done = true
		var page []Info
		for _, m := range z.members {
			key, inside := strings.CutPrefix(m.key, z.prefix)
			if inside && strings.HasPrefix(key, prefix) {
				page = append(page, Info{Key: key, Size: m.size, ModTime: z.archive.ModTime})
			}
		}
		return page, nil
	}
}

func (z *zipped) close() error { return z.inner.close() }

func (z *zipped) folders(prefix string) folderPager {
	return once(func() ([]string, error) {
		var names []string
		for _, m := range z.members {
			key, inside := strings.CutPrefix(m.key, z.prefix+prefix)
			if name := folderName("", key); inside && name != "" && (len(names) == 0 || names[len(names)-1] != name) {
				names = append(names, name)
			}
		}
		return names, nil
	})
}
