package sim

import (
	"errors"
	"fmt"
	"math"
	"time"

	"headroom/facility/weather"
	"headroom/sim/ledger"
	"headroom/sim/workload"
)

// Config is what happens in the building: work, weather, failures, prices.
type Config struct {
	ID       string // UUIDv5 of resolved scenario, input contents, seed and model version
	Scenario string
	Variant  string
	Seed     uint64
	Start    time.Time // local wall clock, held in UTC
	LengthNS int64
	Weather  *weather.Series
	Classes  []workload.Class // Job.Class indexes it, replays included
	Replays  [][]workload.Job // traces, each in order of arrival
	// Streams are traces too long to be held, read while the run goes on.
	Streams    []*workload.Replayed
	Services   []Service
	Failures   Failures
	Scheduling Scheduling
	Caps       []PowerCap
	WarmupNS   int64 // statistics begin after it
	// Price and Carbon are NaN where the scenario states none.
	PricePerKWh    float64
	Currency       string
	CarbonKgPerKWh float64
	Price, Carbon  *ledger.Tariff // through time; nil: the figures above
	Money          Prices
	SeriesStepNS   int64
	ToleranceK     float64
	Air            AirClass
	GPUSpread      float64                 // standard deviation of a server's worst slot against its model's, as a share of its resistance
	FanMaxShare    float64                 // no server fan goes beyond this share of rated airflow; +Inf for none
	Check          bool                    // run the invariants; a broken one is an error
	Twin           bool                    // run the unlimited twin as well, for the throughput ratio
	Unlimited      bool                    // neither heat nor caps slow the clocks
	Progress       func(simulatedNS int64) // called now and then, nil for none
	Warnings       []string
}

// AirClass is the inlet range hours are counted against, °C. Recommended and allowable are by class;
// a server's own narrower range wins.
type AirClass struct {
	Name                            string
	RecommendedLow, RecommendedHigh float64
	AllowableLow, AllowableHigh     float64
}

// Failures are random and scripted losses.
type Failures struct {
	ServerPerNodeDay float64 // 0: none
	RepairS          float64
	RestartS         float64 // s of a job's time lost in every restart besides the work since its checkpoint
	// RepairP95S is the 95th percentile of repairs with median RepairS (log-normal); 0: exponential with mean RepairS.
	RepairP95S float64
	Causes     []Cause // what the failures of servers are, as shares of the rate
	Spares     int     // servers in store: a failed one is swapped in SwapS while there are any
	SwapS      float64
	Parts      []PartFailure
	Net        Net
	Events     []Loss
}

// Net is how servers hang on leaf switches: the servers of one group, next to each other in the order they are placed, lose
// the network together when one of the group's switches is lost. Where every server has all its ports on one switch, a
// group has one; where port k of every server is on rail k, it has one a rail.
type Net struct {
	Servers  int // of a group; 0: no network is described
	Switches int // of a group
}

// Groups is how many groups so many servers make.
func (n Net) Groups(servers int) int {
	if n.Servers <= 0 {
		return 0
	}
	return (servers + n.Servers - 1) / n.Servers
}

// Leaves is how many leaf switches so many servers hang on.
func (n Net) Leaves(servers int) int { return n.Groups(servers) * n.Switches }

// Cause is one kind of server failure, a share of the rate and never added to it.
type Cause struct {
	Name  string
	Share float64
}

// PartFailure is how the units of one part of the building fail at random, each on its own.
type PartFailure struct {
	Name     string // as the scenario writes it: "cooling.air.units"
	Part     Part
	Index    int     // of room, loop, plant, node, rack
	Units    int     // installed
	RatePerS float64 // failures of one unit per second in service
	RepairS  float64
	P95S     float64 // 95th percentile of repairs with median RepairS; 0: exponential with mean RepairS
	Spares   int     // units in store: a failed one is swapped in SwapS while there are any, and repaired into the store
	SwapS    float64
}

// CapOver says what a power cap is metered at.
type CapOver uint8

// Places of a cap's meter.
const (
	CapSite CapOver = iota // facility power
	CapNode                // output of a power node
	CapRack                // IT of a rack
)

// PowerCap holds the power at a meter by lowering clocks, batch before fine-tuning before training before
// inference.
type PowerCap struct {
	Name   string
	Over   CapOver
	Index  int     // of the node or the rack
	LimitW float64 // W
	DelayS float64 // s until it acts: power overshoots meanwhile
}

// Part says which table a Target indexes.
type Part uint8

// Parts that can be lost.
const (
	RoomUnit  Part = iota // an air handler
	LoopUnit              // a CDU
	PlantUnit             // a chiller, a dry cooler
	PowerUnit             // a unit of a power node
	RackPart              // a whole rack
	ServerPart
	NetLeaf   // a leaf switch, or one of a set of rails
	PlantHeat // a plant's compressors, towers and fans, all of them: its pumps run on
)

// Loss is one scripted loss.
type Loss struct {
	Name  string // as the scenario writes it
	AtNS  int64  // after the start of the run
	ForNS int64  // 0: until the end
	Part  Part
	Index int // of room, loop, plant, node, rack, server, leaf switch
	Units int // how many units are lost; all when it is at least the installed number
	// Planned work is announced: jobs save their work before it begins.
	Planned bool
}

// Bounds on what one run holds in memory: steps of its series, and jobs of one class.
const (
	MaxBins = 5_000_000
	MaxJobs = 100_000_000
)

// check refuses a config that the engine can't answer for.
func (c *Config) check() error {
	var errs []error
	if c.LengthNS <= 0 {
		errs = append(errs, fmt.Errorf("length of the run is %d ns, want more than 0", c.LengthNS))
	}
	if c.WarmupNS < 0 || c.WarmupNS >= max(c.LengthNS, 1) {
		errs = append(errs, fmt.Errorf("warm-up is %d ns of a run of %d ns", c.WarmupNS, c.LengthNS))
	}
	if c.SeriesStepNS <= 0 {
		errs = append(errs, fmt.Errorf("step of the series is %d ns, want more than 0", c.SeriesStepNS))
	}
	if n := c.LengthNS / max(c.SeriesStepNS, 1); n > MaxBins {
		errs = append(errs, fmt.Errorf("a series of %d steps, at most %d: take a longer step", n, int64(MaxBins)))
	}
	jobs := 0.0
	for i := range c.Classes {
		jobs += c.Classes[i].RatePerS * float64(c.LengthNS) / 1e9
	}
	if jobs > MaxJobs {
		errs = append(errs, fmt.Errorf("about %.3g jobs arrive in this run, at most %.3g: take lower rates or a shorter run", jobs, float64(MaxJobs)))
	}
	if !(c.ToleranceK > 0) || math.IsInf(c.ToleranceK, 0) {
		errs = append(errs, fmt.Errorf("tolerance is %g K, want more than 0", c.ToleranceK))
	}
	for i, t := range []*ledger.Tariff{c.Price, c.Carbon} {
		if t == nil {
			continue
		}
		if err := t.Check(c.Start, time.Duration(c.LengthNS)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", []string{"price", "carbon"}[i], err))
		}
	}
	if c.Start.Sub(c.Start.Truncate(time.Hour)) != 0 && (c.Price != nil && !c.Price.Steady() || c.Carbon != nil && !c.Carbon.Steady()) {
		errs = append(errs, errors.New("a price or carbon that changes by the hour needs a run that starts on a full hour"))
	}
	if c.Weather == nil {
		errs = append(errs, errors.New("no weather"))
	} else if err := c.Weather.Covers(c.Start, time.Duration(c.LengthNS)); err != nil {
		errs = append(errs, err)
	}
	if f := c.Failures; f.ServerPerNodeDay < 0 || f.ServerPerNodeDay > 0 && !(f.RepairS > 0) {
		errs = append(errs, fmt.Errorf("failures at %g per node-day with a repair of %g s", f.ServerPerNodeDay, f.RepairS))
	}
	return errors.Join(errs...)
}
