package netcdf

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// tree is the content of a NetCDF-4 file, or of any other HDF5 file.
type tree struct {
	file    *sources.OpenFile
	hdf5    *hdf5.File
	source  *source
	scratch *ndarray.Pool
	kept    func(path string) bool // says for which variables the stored chunks are wanted; nil: for none
	pieces  *sources.Pieces        // cuts variables without chunks; nil: they stay whole
	chains  *codecs.Chains
	nodes   []*group // the root first, each group before its subgroups
	vars    []*treeVariable
	byPath  map[string]*treeVariable
	scales  map[hdf5.Place]*treeDimension // by their datasets
	netCDF  bool                          // the file has attributes that only NetCDF writes
	known   map[hdf5.Place]bool           // the groups that were read
	fields  int                           // number of arrays that are members of compounds
	again   int                           // number of groups that were reached by another path before

	described described
}

// group is a group of a tree. The dimensions of the groups above it are valid in it,
// too.
type group struct {
	path       string
	parent     *group // nil for the root
	at         hdf5.Place
	err        error // why it cannot be read, or not as a whole
	unlisted   bool  // its links cannot be read
	attributes []attribute
	findings   []cf.Finding
	made       *treeVariable // the dataset that the group stands for; nil: none
	dims       []*treeDimension
	vars       []*treeVariable
	groups     []*group
}

// treeVariable is a variable of a tree: a dataset, or a link that may lead to one.
type treeVariable struct {
	path       string
	name       string // of the dataset
	at         hdf5.Place
	err        error // why it cannot be opened
	attributes []attribute
	findings   []cf.Finding
	shape      []int // of the dataset
	limits     []int
	null       bool             // the dataset has a null dataspace; known of sequences and compounds
	dims       []*treeDimension // one for each dimension
	scale      *treeDimension   // not nil: the dataset is the scale of a dimension
	lists      [][]uint64       // for each dimension, the addresses of the datasets that are its scales
	ids        []int            // numbers of the dimensions, if the file states them
	member     []string         // names of the member of compounds that the variable is; nil: it is the dataset
	sequences  *sharedSequences // not nil: the variable is the values or the offsets of sequences
}

// maxNodes bounds the groups and variables of a file.
const maxNodes = 1 << 20

// sharedSequences is a dataset of sequences that its two arrays share, or a member of its
// elements.
type sharedSequences struct {
	of     *treeVariable    // the dataset, which has dimensions
	name   string           // of the dataset or member
	member []string         // as in treeVariable
	outer  *sharedSequences // not nil: the sequences are the values of these sequences
	once   sync.Once
	all    *hdf5.Sequences
	// shape and offsets are those of all, with empty sequences where the dataset is shorter
	// than its dimensions.
	shape   []int
	offsets []int64
	err     error
}

// add adds a variable.
func (t *tree) add(g *group, v *treeVariable) error {
	if t.byPath[v.path] != nil {
		return errors.New("another variable has this path")
	}
	t.byPath[v.path] = v
	g.vars = append(g.vars, v)
	if t.vars = append(t.vars, v); len(t.nodes)+len(t.vars) > maxNodes {
		return fmt.Errorf("the file has more than %d groups and variables", maxNodes)
	}
	return nil
}

// hidden lists the attributes that are bookkeeping of the formats.
func hidden() []string {
	return []string{attrClass, attrName, attrLists, attrScaleOf, attrID, attrCoordinates, attrClassic, attrProperties}
}

// isMark reports whether an attribute of the root group proves that NetCDF wrote the
// file. Older versions of NetCDF wrote no such attribute.
func isMark(name string) bool { return name == attrProperties || name == attrClassic }

// treeDimension is a dimension of a group.
type treeDimension struct {
	name      string
	length    int
	unlimited bool
	alone     bool // no variable belongs to the dimension
	id        int  // -1: the file states none

	mu           sync.Mutex
	known, texts bool // see [tree.ofTexts]
}

// fileOf returns the file in which a variable is.
func (t *tree) fileOf(v *treeVariable) *sources.OpenFile {
	if v.at.File == t.hdf5 || v.at.File == nil {
		return t.file
	}
	t.source.mu.Lock()
	defer t.source.mu.Unlock()
	return t.source.places[v.at.File]
}

// names returns the names of a variable's dimensions and their lengths.
func (v *treeVariable) names() (names []string, shape []int) {
	for _, d := range v.dims {
		names, shape = append(names, d.name), append(shape, d.length)
	}
	return names, shape
}

// isHidden reports whether an attribute is bookkeeping.
func isHidden(name string) bool { return slices.Contains(hidden(), name) }

// described is what a tree reads only for a caller who asks for details.
type described struct {
	once   sync.Once
	err    error
	groups map[string]*group
	links  map[string]string // descriptions of links, by path; an ordinary hard link has none
	types  []namedType
	// others lists links to objects that are neither a variable nor a group, by the
	// paths of their groups.
	others map[string][]sources.Detail
}

// namedType is a committed datatype. In NetCDF-4 it is a type that the user defined.
type namedType struct {
	path string
	at   hdf5.Place
	text string // its description
	user bool   // in NetCDF-4 all types of its class are defined by users
}

// NetCDF-4 keeps dimensions as dimension scales of HDF5: datasets with an attribute
// CLASS. The attribute DIMENSION_LIST of a variable refers to them. A dataset that is a
// scale is also the coordinate variable of its dimension, unless its attribute NAME
// says that there is no such variable.
const (
	attrClass       = "CLASS"
	attrName        = "NAME"
	attrLists       = "DIMENSION_LIST"
	attrScaleOf     = "REFERENCE_LIST"
	attrID          = "_Netcdf4Dimid"
	attrCoordinates = "_Netcdf4Coordinates"
	attrClassic     = "_nc3_strict"
	attrProperties  = "_NCProperties"

	classScale    = "DIMENSION_SCALE"
	onlyScale     = "This is a netCDF dimension but not a netCDF variable"
	notCoordinate = "_nc4_non_coord_" // in front of the names of some datasets
)
