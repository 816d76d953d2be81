package scenarios

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed examples/*.yaml
var exampleFiles embed.FS

// Example is an embedded scenario with the planner's question it answers.
type Example struct{ Name, Question string }

// Examples lists the embedded scenarios, first-hall first, then by name.
func Examples() []Example {
	names, err := fs.Glob(exampleFiles, "examples/*.yaml")
	if err != nil {
		return nil
	}
	var list []Example
	for _, n := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(n, "examples/"), ".yaml")
		data, _ := ExampleFile(name)
		list = append(list, Example{name, firstComment(string(data))})
	}
	slices.SortStableFunc(list, func(a, b Example) int {
		return boolInt(a.Name != "first-hall") - boolInt(b.Name != "first-hall")
	})
	return list
}

// ExampleFile returns the text of an embedded scenario.
func ExampleFile(name string) ([]byte, bool) {
	if strings.ContainsAny(name, `/\`) {
		return nil, false
	}
	data, err := exampleFiles.ReadFile("examples/" + strings.TrimSuffix(name, ".yaml") + ".yaml")
	return data, err == nil
}

// firstComment joins the lines of the comment that begins a file.
func firstComment(text string) string {
	var words []string
	for _, line := range strings.Split(text, "\n") {
		rest, ok := strings.CutPrefix(line, "#")
		if !ok || strings.TrimSpace(rest) == "" {
			break
		}
		words = append(words, strings.TrimSpace(rest))
	}
	return strings.Join(words, " ")
}
