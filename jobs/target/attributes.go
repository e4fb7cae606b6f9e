package target

// OtherMeaning returns the hint for an attribute that differs between source and target.
func OtherMeaning(name string) string {
	hint := "values would not mean the same"
	switch name {
	case "units":
		hint += ": write all files with the same units, times with one reference date"
	case "scale_factor", "add_offset":
		hint += ": write a new target from all files, with source.cf: unpack"
	}
	return hint + "; if they do mean the same, give the array of the source the attribute of the target"
}
