package scenarios_test

import (
	"context"
	"fmt"
	"log"

	"headroom/facility/placement"
	"headroom/scenarios"
	"headroom/sim"
)

// The whole path: a scenario's text, the building, servers in racks, a run, and what came out.
func Example() {
	const text = `version: 1
name: A small hall
site: {climate: frankfurt}
power: {utility: {capacity: 400 kW}}
cooling:
  air: {units: 4, capacity: 60 kW, airflow: 4.6 m3/s, scheme: N+1, supply: 24 C, containment: cold-aisle, plant: chilled-water}
plants:
  chilled-water: {type: air-cooled-chiller, count: 2, scheme: N+1, supply: 16 C}
racks:
  - {row: A, count: 4, height: 42U, power: 48 kW, air: 48 kW}
servers:
  - {model: dgx-h100, count: max}
workload:
  - {name: tune, kind: fine-tuning, gpus: 8, arrivals: 30/day, length: {median: 6 h, p95: 1 d}}
run: {length: 30 d}
`
	sc, err := scenarios.Load("hall.yaml", []byte(text), scenarios.Options{})
	if err != nil {
		log.Fatal(err) // every mistake, with its line
	}
	building, err := sc.Build()
	if err != nil {
		log.Fatal(err)
	}
	layout, err := placement.Place(building)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d servers, proven most %d, the next one is stopped by %s\n", len(layout.Servers), layout.Bound, layout.Racks[0].Binding)

	config, err := sc.Configure(layout)
	if err != nil {
		log.Fatal(err)
	}
	result, err := sim.Run(context.Background(), layout, config)
	if err != nil {
		log.Fatal(err)
	}
	j := result.Jobs
	fmt.Printf("every job accounted for: %v\n", j.Submitted == j.Done+j.Running+j.Queued+j.Rejected+j.Unplaceable+j.Killed+j.Lost)
	fmt.Printf("throttled: %.0f GPU-hours; PUE between 1.1 and 1.5: %v\n", float64(result.Thermal.ThrottledGPUHours), result.Energy.PUE > 1.1 && result.Energy.PUE < 1.5)
	// Output:
	// 16 servers, proven most 16, the next one is stopped by power
	// every job accounted for: true
	// throttled: 0 GPU-hours; PUE between 1.1 and 1.5: true
}

// Placement alone: a what-if laid over an embedded scenario.
func ExampleLoad() {
	data, _ := scenarios.ExampleFile("first-hall")
	for _, power := range []string{"48 kW", "78 kW"} {
		sc, err := scenarios.Load("first-hall.yaml", data, scenarios.Options{Set: []string{"racks[A].power=" + power, "racks[A].air=" + power}})
		if err != nil {
			log.Fatal(err)
		}
		building, err := sc.Build()
		if err != nil {
			log.Fatal(err)
		}
		layout, err := placement.Place(building)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s a rack: %d servers, the next one is stopped by %s\n", power, len(layout.Servers), layout.Racks[0].Binding)
	}
	// Output:
	// 48 kW a rack: 48 servers, the next one is stopped by power
	// 78 kW a rack: 60 servers, the next one is stopped by space
}
