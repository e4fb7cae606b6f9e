package plan

import "testing"

// TestRenamedWords renames the words of attributes that are names, and no others.
func TestRenamedWords(t *testing.T) {
	names := map[string]string{"lat": "y", "lon": "x"}
	for _, test := range []struct{ attribute, text, want string }{
		{"coordinates", "lat lon  latitude", "y x  latitude"},
		{"coordinates", " lat", " y"},
		{"grid_mapping", "crs: lat lon", "crs: y x"},
		{"cell_measures", "lat: lat", "lat: y"},
		{"formula_terms", "lon: lat a: lon", "lon: y a: x"},
		{"cell_methods", "lat: lon: mean", "y: x: mean"},
		{"cell_methods", "lat: mean (interval: 1 lon: lat) lon: sum over lat", "y: mean (interval: 1 lon: lat) x: sum over lat"},
		{"cell_methods", "lat", "lat"},
		{"compress", "", ""},
	} {
		if got := renamedWords(test.text, test.attribute, names); got != test.want {
			t.Errorf("%s %q: %q, want %q", test.attribute, test.text, got, test.want)
		}
	}
}
