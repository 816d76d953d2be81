package netbox

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// File is one exported file.
type File struct {
	Name string
	Data []byte
}

// kind is what a record describes.
type kind uint8

const (
	other kind = iota
	racks
	rackTypes
	reservations
	devices
	deviceTypes
	panels
	feeds
	ports
	outlets
)

// kindWords find a kind in a file's name, a key or a URL of the API; the first that is found counts.
var kindWords = []struct {
	word string
	kind kind
}{
	{"template", other},
	{"rack-reservation", reservations},
	{"rack-type", rackTypes},
	{"rack-role", other},
	{"rack-group", other},
	{"device-type", deviceTypes},
	{"device-role", other},
	{"device-bay", other},
	{"power-panel", panels},
	{"power-feed", feeds},
	{"power-port", ports},
	{"power-outlet", outlets},
	{"rackreservation", reservations},
	{"racktype", rackTypes},
	{"devicetype", deviceTypes},
	{"powerpanel", panels},
	{"powerfeed", feeds},
	{"powerport", ports},
	{"poweroutlet", outlets},
	{"device", devices},
	{"rack", racks},
}

// kindIn returns the kind that a name tells, found is false where it tells none.
func kindIn(name string) (k kind, found bool) {
	name = strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(name))
	for _, w := range kindWords {
		if strings.Contains(name, w.word) {
			return w.kind, true
		}
	}
	return other, false
}

// record is one line of a CSV file or one object of a JSON file. Empty fields and nulls are left out.
type record struct {
	file   string
	line   int
	kind   kind
	fields map[string]string
}

// get returns the first of the fields that is there.
func (r *record) get(keys ...string) string {
	for _, k := range keys {
		if v := r.fields[k]; v != "" {
			return v
		}
	}
	return ""
}

// number reads a field as a number that may carry a unit ("42U", "80%", "1000 kg"), NaN where it is absent
// or none; bad is true where it is there and none.
func (r *record) number(keys ...string) (v float64, bad bool) {
	text := r.get(keys...)
	if text == "" || text == "—" {
		return math.NaN(), false
	}
	end := strings.IndexFunc(text, func(c rune) bool { return !unicode.IsDigit(c) && !strings.ContainsRune("+-.eE", c) })
	if end < 0 {
		end = len(text)
	}
	number := strings.TrimRight(text[:end], "eE") // the e of "5 each"
	rest := strings.TrimSpace(text[end:])
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > maxNumber || strings.ContainsAny(rest, "0123456789") {
		return math.NaN(), true
	}
	return v, false
}

// maxNumber is far above any figure of a hall, so that a slip of the keyboard is told.
const maxNumber = 1e9

// unit returns what stands behind a number.
func (r *record) unit(keys ...string) string {
	return strings.ToLower(strings.TrimSpace(strings.TrimLeft(r.get(keys...), "0123456789+-.eE ")))
}

// Problem is something of the export that has no place in the scenario, or is not read.
type Problem struct {
	File string
	Line int
	Text string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

func (r *record) problem(format string, args ...any) Problem {
	return Problem{r.file, r.line, clean(fmt.Sprintf(format, args...))}
}

// clean keeps a text on one line: it ends up in comments and on a screen.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
}

// maxRecords bounds what is read of all files together.
const maxRecords = 2_000_000

// read parses one file. An error says where it cannot be read: half a hall is none.
func read(f File) ([]record, error) {
	data := bytes.TrimPrefix(f.Data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, Problem{f.Name, 0, "not UTF-8 text"}.err()
	}
	switch trimmed := bytes.TrimSpace(data); {
	case len(trimmed) == 0:
		return nil, nil
	case trimmed[0] == '[' || trimmed[0] == '{':
		return readJSON(f.Name, data)
	}
	return readCSV(f.Name, data)
}

func (p Problem) err() error { return errors.New(p.String()) }

func readCSV(name string, data []byte) ([]record, error) {
	r := csv.NewReader(bytes.NewReader(data))
	first, _, _ := bytes.Cut(data, []byte("\n"))
	for _, comma := range []rune{';', '\t'} { // NetBox lets its users pick the delimiter
		if bytes.ContainsRune(first, comma) && !bytes.ContainsRune(first, ',') {
			r.Comma = comma
		}
	}
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if err != nil {
		return nil, csvError(name, err)
	}
	keys := make([]string, len(head))
	seen := map[string]bool{}
	for i, h := range head {
		if keys[i] = heading(h); seen[keys[i]] && keys[i] != "" {
			return nil, Problem{name, 1, fmt.Sprintf("the column %q stands twice", clean(h))}.err()
		}
		seen[keys[i]] = true
	}
	k := kindOf(name, func(key string) bool { return seen[key] })
	var list []record
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, csvError(name, err)
		}
		line, _ := r.FieldPos(0)
		if len(row) != len(head) {
			return nil, Problem{name, line, fmt.Sprintf("%d fields under %d headings", len(row), len(head))}.err()
		}
		if len(list) >= maxRecords {
			return nil, Problem{name, line, fmt.Sprintf("more than %d lines", maxRecords)}.err()
		}
		rec := record{file: name, line: line, kind: k, fields: make(map[string]string, len(row))}
		for i, v := range row {
			if v = strings.TrimSpace(v); v != "" && keys[i] != "" {
				rec.fields[keys[i]] = v
			}
		}
		list = append(list, rec)
	}
}

func csvError(name string, err error) error {
	var pe *csv.ParseError
	if errors.As(err, &pe) {
		return Problem{name, pe.Line, "not CSV: " + pe.Err.Error()}.err()
	}
	return Problem{name, 0, "not CSV: " + err.Error()}.err()
}

// headings are the tables' headings that differ from the names of the fields.
var headings = map[string]string{
	"height": "u_height", "max_util": "max_utilization", "type_": "type", "devices": "device_count", "u": "position",
}

// heading turns a heading into the name of a field: "Max Utilization" and "max_utilization" are one, what
// stands in brackets is a unit.
func heading(text string) string {
	text, _, _ = strings.Cut(text, "(")
	text = strings.ToLower(strings.TrimSpace(text))
	text = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' {
			return r
		}
		return '_'
	}, text)
	if name, ok := headings[text]; ok {
		return name
	}
	return text
}

// kindOf tells what records are by the file's name, or else by their fields.
func kindOf(name string, has func(string) bool) kind {
	if k, ok := kindIn(path.Base(strings.ReplaceAll(name, `\`, "/"))); ok {
		return k
	}
	switch {
	case has("voltage") && has("amperage"):
		return feeds
	case has("device") && (has("maximum_draw") || has("allocated_draw")):
		return ports
	case has("device") && has("feed_leg"):
		return outlets
	case has("u_height") && has("model") && !has("site"):
		return deviceTypes
	case has("u_height") && has("site"):
		return racks
	case has("device_type") && has("rack"):
		return devices
	}
	return other
}

// readJSON reads a list of objects, a page of the API ({"results": […]}), or an object of such lists by kind.
func readJSON(name string, data []byte) ([]record, error) {
	d := &jsonReader{name: name, data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	d.dec.UseNumber()
	t, err := d.dec.Token()
	if err != nil {
		return nil, d.fail(err)
	}
	if t == json.Delim('[') {
		err = d.elements("")
	} else {
		err = d.object()
	}
	if err == nil {
		if _, end := d.dec.Token(); !errors.Is(end, io.EOF) {
			err = d.at(d.dec.InputOffset(), "more than one value in the file")
		}
	}
	return d.list, err
}

type jsonReader struct {
	name string
	data []byte
	dec  *json.Decoder
	list []record

	offset int64 // up to here lines are counted
	line   int
}

// lineAt is the line of what follows an offset; offsets come ascending.
func (d *jsonReader) lineAt(offset int64) int {
	for offset < int64(len(d.data)) && strings.ContainsRune(" \t\r\n,:", rune(d.data[offset])) {
		offset++
	}
	if offset > d.offset {
		d.line += bytes.Count(d.data[d.offset:offset], []byte("\n"))
		d.offset = offset
	}
	return d.line
}

func (d *jsonReader) at(offset int64, text string) error {
	return Problem{d.name, d.lineAt(offset), text}.err()
}

func (d *jsonReader) fail(err error) error {
	var se *json.SyntaxError
	if errors.As(err, &se) {
		return d.at(se.Offset, "not JSON: "+se.Error())
	}
	return d.at(d.dec.InputOffset(), "not JSON: "+err.Error())
}

// object reads the keys of the outermost object.
func (d *jsonReader) object() error {
	for d.dec.More() {
		t, err := d.dec.Token()
		if err != nil {
			return d.fail(err)
		}
		key, _ := t.(string)
		rest := bytes.TrimLeft(d.data[d.dec.InputOffset():], " \t\r\n:")
		if len(rest) > 0 && rest[0] == '[' {
			if _, err := d.dec.Token(); err != nil {
				return d.fail(err)
			}
			if key == "results" {
				key = ""
			}
			if err := d.elements(key); err != nil {
				return err
			}
			continue
		}
		var skip any
		if err := d.dec.Decode(&skip); err != nil {
			return d.fail(err)
		}
		if key == "next" && skip != nil {
			return d.at(d.dec.InputOffset(), "one page of several: export all of them (limit=0)")
		}
	}
	_, err := d.dec.Token()
	if err != nil {
		return d.fail(err)
	}
	return nil
}

// elements reads the rest of a list of objects; key is where it stands, "" at the top.
func (d *jsonReader) elements(key string) error {
	for d.dec.More() {
		line := d.lineAt(d.dec.InputOffset())
		var v any
		if err := d.dec.Decode(&v); err != nil {
			return d.fail(err)
		}
		m, ok := v.(map[string]any)
		if !ok {
			return Problem{d.name, line, "want a list of objects"}.err()
		}
		if len(d.list) >= maxRecords {
			return Problem{d.name, line, fmt.Sprintf("more than %d objects", maxRecords)}.err()
		}
		r := record{file: d.name, line: line, fields: map[string]string{}}
		for k, v := range m {
			r.flatten(k, v)
		}
		if k, ok := kindIn(apiPath(r.fields["url"])); ok {
			r.kind = k
		} else if k, ok := kindIn(key); ok {
			r.kind = k
		} else {
			r.kind = kindOf(d.name, func(key string) bool { _, ok := m[key]; return ok })
		}
		d.list = append(d.list, r)
	}
	if _, err := d.dec.Token(); err != nil {
		return d.fail(err)
	}
	return nil
}

// apiPath is the part of a URL of the API that names a kind.
func apiPath(url string) string {
	_, rest, ok := strings.Cut(url, "/dcim/")
	if !ok {
		return ""
	}
	word, _, _ := strings.Cut(rest, "/")
	return word
}

// flatten stores a value of a JSON object: a choice by its value, a related object by its name with its id
// beside it, the first of a list of objects under the key, a list of plain values joined by commas.
func (r *record) flatten(key string, v any) {
	switch v := v.(type) {
	case string:
		if v = strings.TrimSpace(v); v != "" {
			r.fields[key] = v
		}
	case json.Number:
		r.fields[key] = v.String()
	case bool:
		r.fields[key] = strconv.FormatBool(v)
	case map[string]any:
		for _, name := range [...]string{"value", "name", "model", "display"} {
			if s, ok := v[name].(string); ok && s != "" {
				r.fields[key] = s
				break
			}
			if n, ok := v[name].(json.Number); ok {
				r.fields[key] = n.String()
				break
			}
		}
		if id, ok := v["id"].(json.Number); ok {
			r.fields[key+"_id"] = id.String()
		}
		if device, ok := v["device"]; ok { // a port that a feed ends at
			r.flatten(key+".device", device)
		}
	case []any:
		var words []string
		for _, x := range v {
			switch x := x.(type) {
			case map[string]any:
				if len(words) == 0 {
					r.flatten(key, x)
				}
				return
			case json.Number:
				words = append(words, x.String())
			case string:
				words = append(words, x)
			}
		}
		if len(words) > 0 {
			r.fields[key] = strings.Join(words, ",")
		}
	}
}
