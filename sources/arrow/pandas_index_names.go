package arrow

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/zarr"
)

// pandasKey is the entry of a schema's metadata in which pandas describes columns.
const pandasKey = "pandas"

// levelColumn is the name that pandas gives the column of an index level without a
// name, or with the name of another column.
const levelColumn = "__index_level_%d__"

// levelNames returns new names for columns that pandas made of index levels, by the paths
// of the columns. pandas gave them names that Zarr reserves. The new name is the name of
// the level. If the level has no name, it is the name that pandas gives a column made of an
// index: index, or level_0 and so on. A level that has a name has a column of that name, so the
// numbers of these columns may have gaps. taken has the names of all columns; levelNames adds the
// new names.
func levelNames(metadata arrow.Metadata, taken map[string]bool) map[string]string {
	var levels []int
	for column := range taken {
		var k int
		if _, err := fmt.Sscanf(column, levelColumn, &k); err == nil && column == fmt.Sprintf(levelColumn, k) {
			levels = append(levels, k)
		}
	}
	if levels == nil {
		return nil
	}
	slices.Sort(levels)
	given := pandasNames(metadata)
	names := map[string]string{}
	for _, k := range levels {
		column := fmt.Sprintf(levelColumn, k)
		usual := fmt.Sprintf("level_%d", k)
		if k == 0 && len(levels) == 1 {
			usual = "index"
		}
		for _, name := range []string{given[column], usual, fmt.Sprintf("index_level_%d", k)} {
			if name != "" && !taken[name] && zarr.CheckPath(name) == nil {
				names[column], taken[name] = name, true
				break
			}
		}
	}
	return names
}

// pandasNames maps the names of columns to the names by which pandas knows them.
// Metadata of another form have none.
func pandasNames(metadata arrow.Metadata) map[string]string {
	at := metadata.FindKey(pandasKey)
	if at < 0 {
		return nil
	}
	var described struct {
		Columns []struct {
			Name  any    `json:"name"`
			Field string `json:"field_name"`
		} `json:"columns"`
	}
	if json.Unmarshal([]byte(metadata.Values()[at]), &described) != nil {
		return nil
	}
	names := map[string]string{}
	for _, c := range described.Columns {
		if name, ok := c.Name.(string); ok {
			names[c.Field] = name
		}
	}
	return names
}
