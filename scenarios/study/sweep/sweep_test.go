package sweep

import (
	"bytes"
	"context"
	"testing"

	"github.com/parquet-go/parquet-go"

	"headroom/scenarios"
)

const tiny = `version: 1
name: tiny
site: {climate: shanghai, price: 0.65 CNY/kWh}
power:
  utility: {capacity: 1 MW}
  ups: {sides: [A, B], modules: 2, rating: 400 kVA, battery: 5 min}
  busways: {per: row, sides: [A, B], rating: 800 A, voltage: 415 V L-L, derate: 80%}
cooling:
  air: {units: 4, capacity: 100 kW, airflow: 8 m3/s, rated: {return: 36 C, water: 18 C}, scheme: N+1, supply: 24 C, containment: cold-aisle, plant: chilled, fed: ups}
plants:
  chilled: {type: water-cooled-chiller, count: 2, scheme: N+1, supply: 18 C, fed: utility}
racks:
  - {row: A, count: 2, height: 48U, power: 30 kW, air: 30 kW, feeds: {sides: [A, B], breaker: 63 A}}
servers:
  - {model: dgx-h100, count: max}
workload:
  - {name: train, kind: training, gpus: {8: 1}, arrivals: 12/day, length: {median: 2 h, p95: 8 h}}
failures: {server: {rate: 20 per 1000 node-days}}
run: {length: 2 d}
`

// open readies a study over the tiny hall.
func open(t testing.TB, text, dir string, set ...string) *Study {
	t.Helper()
	return openText(t, tiny, text, dir, set...)
}

func openText(t testing.TB, hall, text, dir string, set ...string) *Study {
	t.Helper()
	src, err := scenarios.Parse("tiny.yaml", []byte(hall+text), nil)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := src.Load(scenarios.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	st, ok := sc.Study()
	if !ok {
		t.Fatal("no study")
	}
	store, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return New(st, &Maker{NewBase(src, scenarios.Options{Set: set}), store}, nil)
}

func tables(t testing.TB, s *Study) (csv, pq []byte) {
	t.Helper()
	var a, b bytes.Buffer
	if err := s.WriteCSV(&a); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteParquet(&b); err != nil {
		t.Fatal(err)
	}
	return a.Bytes(), b.Bytes()
}

const gridStudy = `study:
  vary:
    - {path: "racks[A].power", values: [20 kW, 30 kW, 40 kW], name: rack power}
    - {path: cooling.air.supply, from: 20 C, to: 26 C, step: 3 K}
  replicates: 2
`

func TestGrid(t *testing.T) {
	s := open(t, gridStudy, t.TempDir())
	if err := s.Local(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	csv1, pq1 := tables(t, s)
	if s.Count.Made != 18 || len(s.Runs()) != 18 {
		t.Fatalf("%+v", s.Count)
	}
	dir := t.TempDir()
	s8 := open(t, gridStudy, dir)
	if err := s8.Local(context.Background(), 8); err != nil {
		t.Fatal(err)
	}
	csv8, pq8 := tables(t, s8)
	if !bytes.Equal(csv1, csv8) || !bytes.Equal(pq1, pq8) {
		t.Fatal("tables of 1 and 8 workers differ")
	}
	again := open(t, gridStudy, dir)
	if err := again.Local(context.Background(), 8); err != nil {
		t.Fatal(err)
	}
	if again.Count.Found != 18 || again.Count.Made != 0 {
		t.Fatalf("made again: %+v", again.Count)
	}
	csvA, _ := tables(t, again)
	if !bytes.Equal(csv1, csvA) {
		t.Fatal("the table of stored runs differs")
	}
	f, err := parquet.OpenFile(bytes.NewReader(pq1), int64(len(pq1)))
	if err != nil {
		t.Fatal(err)
	}
	if f.NumRows() != 18 {
		t.Fatal(f.NumRows())
	}
	t.Logf("%s", csv1[:400])
	t.Logf("%v", f.Schema().Columns()[:8])
}
