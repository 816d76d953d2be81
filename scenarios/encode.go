package scenarios

import (
	"reflect"
	"strconv"
)

// encodeSection prints a struct as a map, in the order of its fields; what is neither stated nor has a
// default is left out.
func encodeSection(v reflect.Value) *node {
	n := &node{kind: mapNode}
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		if name == "" {
			continue
		}
		if e := encodeValue(v.Field(i), f); e != nil {
			n.keys = append(n.keys, scalar(name))
			n.items = append(n.items, e)
		}
	}
	return n
}

func encodeValue(v reflect.Value, f reflect.StructField) *node {
	if v.CanAddr() {
		if c, ok := v.Addr().Interface().(custom); ok {
			return c.encode()
		}
		if q, ok := v.Addr().Interface().(*Quantity); ok {
			if !q.Given {
				return nil
			}
			text := q.text
			if text == "" {
				text = formatQuantity(dimensionTags[f.Tag.Get("unit")], q.V)
			}
			return plain(text)
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return encodeValue(v.Elem(), f)
	case reflect.Struct:
		n := encodeSection(v)
		if len(n.keys) == 0 {
			return nil
		}
		return n
	case reflect.Slice:
		if v.Len() == 0 {
			return nil
		}
		n := &node{kind: listNode, flow: v.Type().Elem().Kind() == reflect.String}
		for i := range v.Len() {
			n.items = append(n.items, encodeValue(v.Index(i), f))
		}
		return n
	case reflect.String:
		if v.String() == "" {
			return nil
		}
		return scalar(v.String())
	case reflect.Bool:
		return &node{tag: "!!bool", value: strconv.FormatBool(v.Bool())}
	case reflect.Int:
		return &node{tag: "!!int", value: strconv.FormatInt(v.Int(), 10)}
	case reflect.Uint64:
		return &node{tag: "!!int", value: strconv.FormatUint(v.Uint(), 10)}
	case reflect.Float64:
		return plain(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	}
	panic("scenarios: no encoder for " + v.Type().String())
}

// plain is a scalar printed without quotes where YAML allows it, whatever YAML takes it for.
func plain(text string) *node {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return &node{tag: "!!int", value: text}
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return &node{tag: "!!float", value: text}
	}
	return scalar(text)
}
