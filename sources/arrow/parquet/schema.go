package parquet

import (
	"errors"
	"fmt"
)

// LogicalKind is the meaning of a node's values.
type LogicalKind int

// Logical types of the specification. None stands for no meaning beyond the physical
// type, and Unknown for a type that this package does not know.
const (
	None LogicalKind = iota
	String
	Map
	List
	Enum
	Decimal
	Date
	Time
	Timestamp
	Integer
	Null
	JSON
	BSON
	UUID
	Float16
	Interval
	Unknown
)

// Unit is a unit of time.
type Unit int

// The units of the specification.
const (
	Milliseconds Unit = 1 + iota
	Microseconds
	Nanoseconds
)

// Logical is a logical type, or the converted type that older files have instead.
type Logical struct {
	Kind   LogicalKind
	Unit   Unit // of Time and Timestamp
	UTC    bool // of Time and Timestamp: values are instants, not local times
	Bits   int  // of Integer
	Signed bool // of Integer
	// Precision and Scale, of Decimal, are the number of digits, and of digits behind
	// the point.
	Precision, Scale int
}

// element is a node as it is stored: in a list, followed by its children.
type element struct {
	node     Node
	children int
}

func (t *thrift) element() (e element) {
	e.node.Physical, e.node.Repetition = -1, unstated // the root has neither
	var logical, converted Logical
	precision, scale := 0, 0
	read := t.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftInt32:
			e.node.Physical = Physical(t.int())
		case id == 2 && kind == thriftInt32:
			e.node.Length = int(t.int())
		case id == 3 && kind == thriftFalse: // fastparquet writes whether there are nulls
			e.node.Repetition = Required
		case id == 3 && kind == thriftTrue:
			e.node.Repetition = Optional
		case id == 3:
			e.node.Repetition = Repetition(t.int())
			t.bad = t.bad || kind != thriftInt32 || e.node.Repetition == unstated // damage, not a writer that leaves out the repetition
		case id == 4 && kind == thriftBinary:
			e.node.Name = string(t.bytes())
		case id == 5 && kind == thriftInt32:
			e.children = int(t.int())
		case id == 6 && kind == thriftInt32:
			converted = convertedType(int(t.int()))
		case id == 7 && kind == thriftInt32:
			scale = int(t.int())
		case id == 8 && kind == thriftInt32:
			precision = int(t.int())
		case id == 9 && kind == thriftInt32:
			e.node.ID, e.node.HasID = int(t.int()), true
		case id == 10 && kind == thriftStruct:
			logical = t.logical()
		default:
			return false
		}
		return true
	})
	t.require(read, "a node of the schema", []string{4: "name"})
	if converted.Kind == Decimal {
		converted.Precision, converted.Scale = precision, scale
	}
	e.node.Logical = logical
	if logical.Kind == None {
		e.node.Logical = converted
	}
	return e
}

// logical reads the union LogicalType.
func (t *thrift) logical() (l Logical) {
	kinds := map[int]LogicalKind{1: String, 2: Map, 3: List, 4: Enum, 5: Decimal, 6: Date, 7: Time, 8: Timestamp, 10: Integer, 11: Null, 12: JSON, 13: BSON, 14: UUID, 15: Float16}
	t.fields(func(id int, kind byte) bool {
		var known bool
		if l.Kind, known = kinds[id]; !known {
			l.Kind = Unknown
		}
		if kind != thriftStruct {
			return false
		}
		t.fields(func(id int, kind byte) bool {
			switch {
			case (l.Kind == Time || l.Kind == Timestamp) && id == 1:
				l.UTC = kind == thriftTrue
				return false
			case (l.Kind == Time || l.Kind == Timestamp) && id == 2 && kind == thriftStruct:
				t.fields(func(id int, _ byte) bool {
					l.Unit = Unit(id)
					return false
				})
				return true
			case l.Kind == Decimal && id == 1 && kind == thriftInt32:
				l.Scale = int(t.int())
				return true
			case l.Kind == Decimal && id == 2 && kind == thriftInt32:
				l.Precision = int(t.int())
				return true
			case l.Kind == Integer && id == 1 && kind == thriftByte:
				l.Bits = int(t.byte())
				return true
			case l.Kind == Integer && id == 2:
				l.Signed = kind == thriftTrue
			}
			return false
		})
		return true
	})
	return l
}

func convertedType(number int) Logical {
	list := [...]Logical{
		{Kind: String}, {Kind: Map}, {Kind: Map}, {Kind: List}, {Kind: Enum}, {Kind: Decimal}, {Kind: Date},
		{Kind: Time, Unit: Milliseconds, UTC: true}, {Kind: Time, Unit: Microseconds, UTC: true},
		{Kind: Timestamp, Unit: Milliseconds, UTC: true}, {Kind: Timestamp, Unit: Microseconds, UTC: true},
		{Kind: Integer, Bits: 8}, {Kind: Integer, Bits: 16}, {Kind: Integer, Bits: 32}, {Kind: Integer, Bits: 64},
		{Kind: Integer, Bits: 8, Signed: true}, {Kind: Integer, Bits: 16, Signed: true}, {Kind: Integer, Bits: 32, Signed: true}, {Kind: Integer, Bits: 64, Signed: true},
		{Kind: JSON}, {Kind: BSON}, {Kind: Interval},
	}
	if number < 0 || number >= len(list) {
		return Logical{Kind: Unknown}
	}
	return list[number]
}

// unstated is the repetition of a node that states none. Only the root may do that.
const unstated Repetition = -1

// tree makes nodes of the remaining elements.
type tree struct {
	elements []element
	leaves   []*Node
	unstated []*Node // nodes that lack their repetition
	depth    int
}

func (t *tree) node(parent *Node) (*Node, error) {
	if len(t.elements) == 0 {
		return nil, errors.New("a node is missing")
	}
	e := t.elements[0]
	t.elements = t.elements[1:]
	n := &e.node
	n.Parent, n.Leaf = parent, -1
	if parent != nil {
		n.MaxDef, n.MaxRep = parent.MaxDef, parent.MaxRep
		switch n.Repetition {
		case unstated:
			n.Repetition = Required
			t.unstated = append(t.unstated, n)
		case Required:
		case Optional:
			n.MaxDef++
		case Repeated:
			n.MaxDef++
			n.MaxRep++
		default:
			return nil, fmt.Errorf("node %q has repetition %d", n.Name, n.Repetition)
		}
	}
	if parent != nil && e.children == 0 && n.Physical >= 0 {
		if n.Physical > FixedLenByteArray || n.Physical == FixedLenByteArray && (n.Length < 1 || n.Length > maxFixed) {
			return nil, fmt.Errorf("column %q has physical type %d of %d bytes", n.Name, n.Physical, n.Length)
		}
		n.Leaf = len(t.leaves)
		t.leaves = append(t.leaves, n)
		return n, nil
	}
	if e.children < 0 || e.children > len(t.elements) {
		return nil, fmt.Errorf("node %q has %d children", n.Name, e.children)
	}
	if t.depth++; t.depth > maxDepth {
		return nil, fmt.Errorf("groups nested more than %d deep", maxDepth)
	}
	for range e.children {
		child, err := t.node(n)
		if err != nil {
			return nil, err
		}
		n.Children = append(n.Children, child)
	}
	t.depth--
	return n, nil
}

// maxFixed bounds the bytes of values of fixed length.
const maxFixed = 1 << 20
