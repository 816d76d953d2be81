package scenarios

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var updateFormat = flag.Bool("update-format", false, "write docs/format.md")

const formatPage = "../docs/format.md"

// formatHead opens the page that is made from the schema.
const formatHead = `# The scenario file

Every key that a scenario may have, made from the schema (` + "`headroom schema`" + ` prints it for your editor; put
` + "`# yaml-language-server: $schema=headroom.schema.json`" + ` into the first line of the file). Quantities carry their unit, as people
write them: ` + "`48 kW`, `415 V L-L`, `90 F`, `1105 cfm`, `0.65 CNY/kWh`" + `. A key that does not exist, a unit that is missing and a value
out of range are refused, all at once, with line and column. ` + "`headroom check --resolved FILE`" + ` prints a file with every default.

Paths, for ` + "`--set`" + `, ` + "`set:`" + `, ` + "`lose:`" + ` and ` + "`vary:`" + `: dots between keys; ` + "`[name]`" + ` picks an element by its row, name or id, ` + "`[0]`" + ` by place.
In the tables ` + "`[]`" + ` stands for any element of a list and ` + "`<name>`" + ` for a name of your own.

`

// formatMarkdown is docs/format.md: a chapter for every key of the file, a row for every key under it.
func formatMarkdown(schema []byte) ([]byte, error) {
	var root map[string]any
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(formatHead)
	properties, _ := root["properties"].(map[string]any)
	required := namesOf(root["required"])
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		n, _ := properties[key].(map[string]any)
		must := ""
		if slices.Contains(required, key) {
			must = " (required)"
		}
		fmt.Fprintf(&out, "## %s%s\n\n%s\n\n", key, must, cell(n["description"]))
		var rows bytes.Buffer
		formatRows(&rows, key, n)
		if rows.Len() > 0 {
			out.WriteString("| key | default | what it is |\n| --- | --- | --- |\n")
			out.Write(rows.Bytes())
			out.WriteString("\n")
		}
	}
	return append(bytes.TrimRight(out.Bytes(), "\n"), '\n'), nil
}

// formatRows writes a row for every key under a node of the schema.
func formatRows(out *bytes.Buffer, path string, n map[string]any) {
	if items, ok := n["items"].(map[string]any); ok {
		formatRows(out, path+"[]", items)
	}
	for _, alternative := range listOf(n["anyOf"]) {
		if a, ok := alternative.(map[string]any); ok {
			formatRows(out, path, a)
		}
	}
	for _, under := range []string{"additionalProperties", "patternProperties"} {
		m, ok := n[under].(map[string]any)
		if !ok {
			continue
		}
		if under == "patternProperties" {
			for _, p := range slices.Sorted(maps.Keys(m)) {
				if a, ok := m[p].(map[string]any); ok {
					formatRows(out, path+".<name>", a)
				}
			}
			continue
		}
		formatRows(out, path+".<name>", m)
	}
	properties, _ := n["properties"].(map[string]any)
	required := namesOf(n["required"])
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		p, _ := properties[key].(map[string]any)
		at := path + "." + key
		def := ""
		switch {
		case slices.Contains(required, key):
			def = "required"
		case p["default"] != nil:
			def = "`" + cell(p["default"]) + "`"
		}
		text := cell(p["description"])
		if e := listOf(p["enum"]); len(e) > 0 {
			words := make([]string, len(e))
			for i := range e {
				words[i] = "`" + cell(e[i]) + "`"
			}
			text += " One of " + strings.Join(words, ", ") + "."
		} else if e := listOf(p["examples"]); len(e) > 0 && p["default"] == nil {
			text += " Example: `" + cell(e[0]) + "`."
		}
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", at, def, text)
		formatRows(out, at, p)
	}
}

func listOf(v any) []any { l, _ := v.([]any); return l }

func namesOf(v any) (names []string) {
	for _, x := range listOf(v) {
		if s, ok := x.(string); ok {
			names = append(names, s)
		}
	}
	return names
}

// cell prints a value of the schema inside a table.
func cell(v any) string {
	if v == nil {
		return ""
	}
	if s, ok := v.(string); ok {
		return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.ReplaceAll(string(b), "|", "\\|")
}

// docs/format.md is what the schema says; -update-format writes it.
func TestFormatPageIsTheSchema(t *testing.T) {
	schema, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	want, err := formatMarkdown(schema)
	if err != nil {
		t.Fatal(err)
	}
	if *updateFormat {
		if err := os.WriteFile(formatPage, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(formatPage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/format.md is not what the schema says: go test ./scenarios -run FormatPage -update-format")
	}
}
