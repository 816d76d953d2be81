package weather

import (
	"fmt"
	"slices"
	"strings"

	"headroom/facility/catalog"
)

// Cities are the names of the built-in climates in alphabetical order.
func Cities() []string {
	climates, err := catalog.Climates()
	if err != nil {
		return nil // a broken data file is an error of BuiltIn, and of the tests
	}
	names := make([]string, len(climates))
	for i := range climates {
		names[i] = climates[i].City
	}
	slices.Sort(names)
	return names
}

// BuiltIn makes the typical year of a built-in climate from its monthly statistics. Case and spaces,
// hyphens or underscores in the name do not matter. The same city always has the same year. An
// unknown city is an error with the nearest name and the whole list.
func BuiltIn(city string) (*Series, error) {
	climates, err := catalog.Climates()
	if err != nil {
		return nil, fmt.Errorf("built-in climates: %w", err)
	}
	key := cityKey(city)
	nearest, least := "", 0
	for i := range climates {
		c := &climates[i]
		switch distance := editDistance(key, cityKey(c.City)); {
		case distance == 0:
			s, err := FromClimate(c)
			if err != nil {
				return nil, err
			}
			s.Name = c.City + " (built-in climate)"
			if !strings.HasPrefix(c.Station, c.City) {
				s.Name = c.City + " (built-in climate of " + c.Station + ")"
			}
			return s, nil
		case nearest == "" || distance < least:
			nearest, least = c.City, distance
		}
	}
	if len(city) > 100 {
		city = city[:100] + "…"
	}
	return nil, fmt.Errorf("no built-in climate %q; nearest name %s; there are %s",
		city, nearest, strings.Join(Cities(), ", "))
}

// cityKey is a name as it is compared.
func cityKey(city string) string {
	if len(city) > 100 {
		city = city[:100] // longer than any city; keeps the comparison short
	}
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(city))
}

// editDistance is the number of letters to insert, delete or replace (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
