package sweep

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// parquetGroup is how many rows are gathered before they are written as one row group.
const parquetGroup = 1000

// WriteParquet writes the table as Parquet, columns in the order of the CSV, every one of them optional: unknown
// figures are null.
func (s *Study) WriteParquet(w io.Writer) error {
	columns := s.TableColumns()
	schema := parquetSchema(columns)
	pw := parquet.NewWriter(w, schema, parquet.Compression(&parquet.Snappy), parquet.CreatedBy("headroom", "1", ""), parquet.MaxRowsPerRowGroup(parquetGroup))
	batch := make([]parquet.Row, 0, 64)
	flush := func() error {
		_, err := pw.WriteRows(batch)
		batch = batch[:0]
		return err
	}
	err := s.eachRow(func(row []any) error {
		out := make(parquet.Row, len(columns))
		for i := range columns {
			defined := 1
			v := parquet.ValueOf(row[i])
			if row[i] == nil {
				v, defined = parquet.Value{}, 0
			}
			out[i] = v.Level(0, defined, i)
		}
		if batch = append(batch, out); len(batch) == cap(batch) {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return pw.Close()
}

// parquetSchema describes the columns through a struct type, which keeps them in order.
func parquetSchema(columns []Column) *parquet.Schema {
	kinds := map[reflect.Kind]reflect.Type{
		reflect.Float64: reflect.TypeFor[*float64](), reflect.Int64: reflect.TypeFor[*int64](), reflect.Uint64: reflect.TypeFor[*uint64](),
		reflect.Bool: reflect.TypeFor[*bool](), reflect.String: reflect.TypeFor[*string](), reflect.Slice: reflect.TypeFor[*string](),
	}
	clean := strings.NewReplacer(",", ";", `"`, "'", "`", "'", "\\", "/")
	var fields []reflect.StructField
	for i, c := range columns {
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("C%d", i), Type: kinds[c.Kind],
			Tag: reflect.StructTag(fmt.Sprintf(`parquet:"%s,optional"`, clean.Replace(c.Name))),
		})
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}
