package catalog

import "math"

// GB 50174-2017, Code for design of data centers (China), annex A, as public copies give it: the air that a room is
// designed to hold at the rack inlet.
const (
	GBInletMinC       = 18
	GBInletMaxC       = 27
	GBDewPointMinC    = 5.5
	GBDewPointMaxC    = 15
	GBMaxRH           = 0.60
	GBOffMinC         = 5 // equipment off
	GBOffMaxC         = 45
	GBOffMinRH        = 0.08
	GBOffMaxRH        = 0.80
	GBChangeTapeKPerH = 5  // less than, rooms with tape
	GBChangeDiskKPerH = 20 // less than, rooms with disks
	GBBatteryMinC     = 20 // UPS battery rooms
	GBBatteryMaxC     = 30
)

// GBInletFits says whether inlet air is within GB 50174-2017 annex A with equipment on, at the standard's bounds too.
func GBInletFits(tempC, dewPointC, rh float64) bool {
	return tempC >= GBInletMinC && tempC <= GBInletMaxC && dewPointC >= GBDewPointMinC && dewPointC <= GBDewPointMaxC && rh <= GBMaxRH
}

// GBChangeFits says whether the inlet may change by some K in some hours.
func GBChangeFits(changeK, hours float64, tape bool) bool {
	limit := GBChangeDiskKPerH
	if tape {
		limit = GBChangeTapeKPerH
	}
	return hours > 0 && math.Abs(changeK)/hours < float64(limit)
}

// PUELine is a ceiling that a Chinese policy sets for the PUE of data centres.
type PUELine struct {
	What  string
	Year  int // of the policy's target
	PUE   float64
	Below bool // it must be below, not at, the line
}

// PUELines are the lines of national policy: the three-year action plan for new data centres (Ministry of Industry
// and Information Technology, 2021), the action plan for green and low-carbon data centres (National Development and
// Reform Commission and others, 2024), and the requirements for national green data centres (2025).
var PUELines = []PUELine{
	{"new large data centres", 2023, 1.30, true},
	{"national hub nodes", 2023, 1.25, true},
	{"average of all data centres", 2025, 1.50, true},
	{"national green data centres", 2025, 1.30, false},
}

// MinRackUpRate is the share of racks in use that the plan of 2024 asks for by the end of 2025.
const MinRackUpRate = 0.60

// Meets says whether a PUE is within a line; an undefined PUE is within none.
func (l PUELine) Meets(pue float64) bool {
	if l.Below {
		return pue < l.PUE
	}
	return pue <= l.PUE
}

// What guides for rooms of 8-GPU servers in China ask for (a public guide to H100 rooms, not a standard).
const (
	GPURoomUPSMinutes = 15   // minutes of battery at full load, at least
	GPURackKg         = 1500 // what a rack and its floor must carry, at least
	GPURackLiquidKg   = 2000 // the same with liquid-cooled servers
	secondsOfAMinute  = 60
)

// GPURoomShort lists what a room lacks against that guide: battery time in s and rack load in kg. NaN is unknown and
// named as such.
func GPURoomShort(batteryS, rackKg float64, liquid bool) (short []string) {
	need := float64(GPURackKg)
	if liquid {
		need = GPURackLiquidKg
	}
	for _, c := range []struct {
		what       string
		have, want float64
	}{{"UPS battery", batteryS, GPURoomUPSMinutes * secondsOfAMinute}, {"rack load", rackKg, need}} {
		switch {
		case math.IsNaN(c.have):
			short = append(short, c.what+" unknown")
		case c.have < c.want:
			short = append(short, c.what)
		}
	}
	return short
}
