package sources

// Described returns an array with the elements of a and another description, such as
// other notes, findings or attributes.
func Described(a Array, info *Info) Array { return &described{a, info} }

type described struct {
	Array
	info *Info
}

func (d *described) Info() *Info { return d.info }
