package target

// OtherMeaning returns the hint for an attribute that differs between source and target.
func OtherMeaning(name string) string {
	hint := "values would not mean the same"
	if name == "units" {
		hint += ": write all files with the same units, times with one reference date"
	}
	return hint + "; if they do mean the same, give the array of the source the attribute of the target"
}
