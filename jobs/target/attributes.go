package target

// OtherMeaning is the way out if an attribute differs from the target's.
func OtherMeaning(name string) string {
	first := "values would not mean the same"
	if name == "units" {
		first += ": write all files with the same units, times with one reference"
	}
	return first + "; where they do mean the same, give the array the target's attribute"
}
