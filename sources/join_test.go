package sources

import (
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// part is an array of which only the description matters.
func part(t dtype.Type, shape ...int) Array {
	return &strided{info: &Info{Type: t, Shape: shape}}
}

func TestPartsThatDoNotFit(t *testing.T) {
	i2 := dtype.Int16
	const huge = 1 << 62
	for name, test := range map[string]struct {
		dim   int // -1: stack
		parts []Array
		want  string
	}{
		"join of nothing":          {0, nil, "nothing to join"},
		"join of scalars":          {0, []Array{part(i2)}, "has no dimension 0 to join along"},
		"join along no dimension":  {2, []Array{part(i2, 1, 1)}, "has no dimension 2 to join along"},
		"join of types":            {0, []Array{part(i2, 1), part(dtype.Uint16, 1)}, "part 1 has data type uint16, the first has int16"},
		"join of shapes":           {0, []Array{part(i2, 1, 2), part(i2, 1, 3)}, "part 1 has shape [1 3]"},
		"join of ranks":            {0, []Array{part(i2, 1, 2), part(i2, 1)}, "part 1 has shape [1]"},
		"join beyond all indexes":  {0, []Array{part(i2, huge), part(i2, huge)}, "too many elements"},
		"join of too many bytes":   {0, []Array{part(i2, huge/2), part(i2, huge/2)}, "too many elements"},
		"stack of nothing":         {-1, nil, "nothing to stack"},
		"stack of types":           {-1, []Array{part(i2), part(dtype.Uint16)}, "part 1 has data type uint16"},
		"stack of shapes":          {-1, []Array{part(i2, 2), part(i2, 3)}, "part 1 has shape [3]"},
		"stack of too many bytes":  {-1, []Array{part(i2, huge/2), part(i2, huge/2)}, "too many elements"},
		"stack of different ranks": {-1, []Array{part(i2, 2), part(i2, 2, 1)}, "part 1 has shape [2 1]"},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			if test.dim < 0 {
				_, err = Stack(Info{Path: "v"}, test.parts)
			} else {
				_, err = Join(Info{Path: "v"}, test.dim, test.parts)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}
