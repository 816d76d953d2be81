package main

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"headroom/facility/catalog"
)

// catalogKind is one kind of the catalogue as it is listed.
type catalogKind struct {
	Kind    string         `json:"kind"`
	Entries []catalogEntry `json:"entries"`
}

type catalogEntry struct {
	Name    string          `json:"name"`
	Title   string          `json:"title"`
	Figures []catalogFigure `json:"figures"`
}

type catalogFigure struct {
	Field  string `json:"field"`
	Value  string `json:"value"`
	Unit   string `json:"unit"`
	Grade  string `json:"grade"`
	Source string `json:"source"`
}

// catalogKinds gathers everything that is built in, sorted by kind.
func catalogKinds() ([]catalogKind, error) {
	c := catalog.Default()
	var out []catalogKind
	for _, kind := range c.Kinds() {
		k := catalogKind{Kind: kind}
		for _, name := range c.Names(kind) {
			rows, err := c.Rows(kind, name)
			if err != nil {
				return nil, err
			}
			e := catalogEntry{Name: name, Title: c.Title(kind, name)}
			for _, r := range rows {
				if r.Field != "title" {
					e.Figures = append(e.Figures, catalogFigure(r))
				}
			}
			k.Entries = append(k.Entries, e)
		}
		out = append(out, k)
	}
	plants, err := plantKinds()
	if err != nil {
		return nil, err
	}
	out = append(out, plants...)
	out = append(out, workloadKinds()...)
	slices.SortFunc(out, func(a, b catalogKind) int { return cmp.Compare(a.Kind, b.Kind) })
	return out, nil
}

// plantKinds are the kinds whose entries have one grade and source each: what plants and weather are made of.
func plantKinds() ([]catalogKind, error) {
	plant, err := catalog.PlantData()
	if err != nil {
		return nil, err
	}
	climates, err := catalog.Climates()
	if err != nil {
		return nil, err
	}
	return []catalogKind{
		entriesOf("cdus", plant.CDUs), entriesOf("chillers", plant.Chillers), entriesOf("climates", climates),
		entriesOf("coolants", plant.Coolants), entriesOf("dry-coolers", plant.DryCoolers), entriesOf("towers", plant.Towers),
	}, nil
}

// entriesOf lists entries whose grade and source hold for all of their figures, and whose keys end in the unit.
func entriesOf[T any](kind string, entries []T) catalogKind {
	k := catalogKind{Kind: kind}
	for _, entry := range entries {
		v := reflect.ValueOf(entry)
		e := catalogEntry{}
		var grade, source string
		for i := range v.NumField() {
			switch f := v.Type().Field(i); f.Name {
			case "Name", "City":
				e.Name = v.Field(i).String()
			case "Title", "Station":
				e.Title = v.Field(i).String()
			case "Grade":
				grade = v.Field(i).String()
			case "Source":
				source = v.Field(i).String()
			default:
				key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
				e.Figures = append(e.Figures, figuresOf(key, v.Field(i))...)
			}
		}
		for i := range e.Figures {
			if e.Figures[i].Value != "unknown" {
				e.Figures[i].Grade, e.Figures[i].Source = grade, source
			}
		}
		k.Entries = append(k.Entries, e)
	}
	return k
}

// figuresOf prints one field, a row a group of numbers.
func figuresOf(key string, v reflect.Value) []catalogFigure {
	switch v.Kind() {
	case reflect.String:
		if v.Len() == 0 {
			return nil
		}
		return []catalogFigure{{Field: key, Value: v.String()}}
	case reflect.Float64:
		return []catalogFigure{{Field: key, Value: numberText(v.Float())}}
	case reflect.Array, reflect.Slice:
		var numbers []string
		for i := range v.Len() {
			if v.Index(i).Kind() != reflect.Float64 {
				var out []catalogFigure
				for j := range v.Len() {
					out = append(out, figuresOf(fmt.Sprintf("%s[%d]", key, j), v.Index(j))...)
				}
				return out
			}
			numbers = append(numbers, numberText(v.Index(i).Float()))
		}
		return []catalogFigure{{Field: key, Value: strings.Join(numbers, " ")}}
	case reflect.Struct:
		var out []catalogFigure
		for i := range v.NumField() {
			sub, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			out = append(out, figuresOf(key+"."+sub, v.Field(i))...)
		}
		return out
	}
	return []catalogFigure{{Field: key, Value: fmt.Sprint(v)}}
}

func numberText(x float64) string {
	if math.IsNaN(x) {
		return "unknown"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
