package sources

import "sync/atomic"

// Resident counts the memory that the sources of a job keep as long as they are open, besides
// what reading a region takes, see [Info].Memory. The memory of the job has to hold it, too. A
// Resident is safe for concurrent use. With nil, nothing is counted.
type Resident struct {
	// Memory is that of the job, in bytes. Sources that can do with little keep no more than
	// half of it. 0: they keep what they usually keep.
	Memory int64
	bytes  atomic.Int64
}

// Keep counts bytes that a source keeps, or is going to keep at most.
func (r *Resident) Keep(bytes int) {
	if r != nil {
		r.bytes.Add(int64(bytes))
	}
}

// Share returns how many bytes a source may keep for something that can do with less than the
// usual number: at most half of what others have left of half of the memory.
func (r *Resident) Share(usual int) int {
	if r == nil || r.Memory <= 0 {
		return usual
	}
	left := max(r.Memory/2-r.Bytes(), 0)
	return int(min(int64(usual), left/2))
}

// Bytes returns how many bytes have been counted.
func (r *Resident) Bytes() int64 {
	if r == nil {
		return 0
	}
	return r.bytes.Load()
}
