package kerchunk

import "encoding/binary"

// Types of fields in Thrift's compact protocol.
const (
	thriftInt32  = 5
	thriftInt64  = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

// message is a struct in Thrift's compact protocol, the form of all headers of Parquet. Fields
// are added in the order of their numbers.
type message struct {
	bytes []byte
	last  int // number of the last field
}

// field begins a field.
func (m *message) field(number, kind int) {
	m.bytes = append(m.bytes, byte((number-m.last)<<4|kind)) // no two numbers are far from each other
	m.last = number
}

// integer adds a field with an i32 or i64.
func (m *message) integer(number, kind int, value int64) {
	m.field(number, kind)
	m.bytes = binary.AppendVarint(m.bytes, value)
}

// text adds a field with a string.
func (m *message) text(number int, value string) {
	m.field(number, thriftBinary)
	m.bytes = append(binary.AppendUvarint(m.bytes, uint64(len(value))), value...)
}

// record adds a field with a struct.
func (m *message) record(number int, value message) {
	m.field(number, thriftStruct)
	m.bytes = append(m.bytes, value.end()...)
}

// records adds a field with a list of structs.
func (m *message) records(number int, list []message) {
	m.list(number, thriftStruct, len(list))
	for _, value := range list {
		m.bytes = append(m.bytes, value.end()...)
	}
}

// list begins a field with a list of up to 14 elements.
func (m *message) list(number, kind, count int) {
	m.field(number, thriftList)
	m.bytes = append(m.bytes, byte(count<<4|kind))
}

// end returns the bytes of the struct.
func (m *message) end() []byte { return append(m.bytes, 0) }
