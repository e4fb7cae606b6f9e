package sources

// Described returns an array that is a, with another description: the same elements
// with other notes, findings or attributes.
func Described(a Array, info *Info) Array { return &described{a, info} }

type described struct {
	Array
	info *Info
}

func (d *described) Info() *Info { return d.info }
