package catalog

import (
	_ "embed" // the data files below
	"fmt"
	"sync"

	"go.yaml.in/yaml/v4"
)

//go:embed data/chillers.yaml
var chillersYAML []byte

//go:embed data/coolants.yaml
var coolantsYAML []byte

//go:embed data/coolers.yaml
var coolersYAML []byte

// Chiller is an electric chiller as an EnergyPlus Chiller:Electric:EIR curve. X is the chilled water
// leaving, Y the water (air-cooled: outdoor air) entering the condenser, both in °C; the curves hold
// inside X and Y only.
type Chiller struct {
	Name      string     `yaml:"name"`
	Title     string     `yaml:"title"`
	Record    string     `yaml:"record"`     // name in the source
	RejectsTo string     `yaml:"rejects_to"` // "water" or "air"
	CapacityW float64    `yaml:"capacity_w"` // at the rating point
	COP       float64    `yaml:"cop"`        // at the rating point
	RatedC    [2]float64 `yaml:"rated_c"`    // x and y of the rating point
	XC        [2]float64 `yaml:"x_c"`        // lowest and highest x
	YC        [2]float64 `yaml:"y_c"`        // lowest and highest y
	PLR       ChillerPLR `yaml:"plr"`
	FlowKgS   [2]float64 `yaml:"flow_kg_s"` // evaporator, condenser
	Cap       [6]float64 `yaml:"cap"`       // capacity over rated: 1, x, x², y, y², xy
	EIR       [6]float64 `yaml:"eir"`       // power per capacity over rated: the same terms
	PartLoad  [3]float64 `yaml:"part_load"` // power share: 1, r, r² of the part-load ratio
	Source    string     `yaml:"-"`
	Grade     string     `yaml:"-"`
}

// ChillerPLR are part-load ratios: below Min a chiller cycles, below Unload its compressor no longer
// follows, above Max it does not run.
type ChillerPLR struct {
	Min    float64 `yaml:"min"`
	Unload float64 `yaml:"unload"`
	Max    float64 `yaml:"max"`
}

// Coolant is a liquid with constant properties.
type Coolant struct {
	Name        string  `yaml:"name"`
	Title       string  `yaml:"title"`
	ReferenceC  float64 `yaml:"reference_c"`
	DensityKgM3 float64 `yaml:"density_kg_m3"`
	CpJKgK      float64 `yaml:"cp_j_kg_k"`
	Source      string  `yaml:"source"`
	Grade       string  `yaml:"grade"`
}

// HeatJPerLK is the heat capacity of a litre in J/K.
func (c Coolant) HeatJPerLK() float64 { return c.DensityKgM3 * c.CpJKgK / 1000 }

// DryCooler is one dry cooler at its rating point.
type DryCooler struct {
	Name        string  `yaml:"name"`
	Title       string  `yaml:"title"`
	CapacityW   float64 `yaml:"capacity_w"`
	FanW        float64 `yaml:"fan_w"` // at full speed
	AirC        float64 `yaml:"air_c"` // air entering
	CoolantInC  float64 `yaml:"coolant_in_c"`
	CoolantOutC float64 `yaml:"coolant_out_c"`
	AirRiseK    float64 `yaml:"air_rise_k"`
	Source      string  `yaml:"source"`
	Grade       string  `yaml:"grade"`
}

// Tower is a cooling tower's approach correlation with its range of validity and its rating point.
type Tower struct {
	Name          string        `yaml:"name"`
	Title         string        `yaml:"title"`
	WetBulbC      float64       `yaml:"wet_bulb_c"` // rating point
	WaterInC      float64       `yaml:"water_in_c"`
	WaterOutC     float64       `yaml:"water_out_c"`
	FanWPerW      float64       `yaml:"fan_w_per_w"`
	LiquidGas     float64       `yaml:"liquid_gas"` // kg of water per kg of air at the rating point
	WetBulbRangeC [2]float64    `yaml:"wet_bulb_range_c"`
	RangeK        [2]float64    `yaml:"range_k"`
	ApproachK     [2]float64    `yaml:"approach_k"`
	LiquidGasMax  float64       `yaml:"liquid_gas_max"` // largest ratio of the two flow shares
	Approach      [3][9]float64 `yaml:"approach"`
	Source        string        `yaml:"source"`
	Grade         string        `yaml:"grade"`
}

// CDU is one coolant distribution unit; NaN where its maker says nothing.
type CDU struct {
	Name       string  `yaml:"name"`
	Title      string  `yaml:"title"`
	CapacityW  float64 `yaml:"capacity_w"`
	ApproachK  float64 `yaml:"approach_k"`
	Coolant    string  `yaml:"coolant"`
	FlowLPM    float64 `yaml:"flow_lpm"`
	PrimaryLPM float64 `yaml:"primary_lpm"`
	HeadKPa    float64 `yaml:"head_kpa"`
	PumpW      float64 `yaml:"pump_w"`
	Source     string  `yaml:"source"`
	Grade      string  `yaml:"grade"`
}

// Plant is the part of the catalogue that cooling plants are built from, in the order of the files.
type Plant struct {
	Chillers   []Chiller
	Coolants   []Coolant
	DryCoolers []DryCooler
	Towers     []Tower
	CDUs       []CDU
}

var loadPlant = sync.OnceValues(func() (*Plant, error) {
	var chillers struct {
		Grade    string    `yaml:"grade"`
		Source   string    `yaml:"source"`
		Chillers []Chiller `yaml:"chillers"`
	}
	var coolants struct {
		Coolants []Coolant `yaml:"coolants"`
	}
	var coolers struct {
		DryCoolers []DryCooler `yaml:"dry_coolers"`
		Towers     []Tower     `yaml:"towers"`
		CDUs       []CDU       `yaml:"cdus"`
	}
	for _, file := range []struct {
		name string
		data []byte
		into any
	}{
		{"chillers.yaml", chillersYAML, &chillers},
		{"coolants.yaml", coolantsYAML, &coolants},
		{"coolers.yaml", coolersYAML, &coolers},
	} {
		if err := yaml.Load(file.data, file.into, yaml.WithKnownFields()); err != nil {
			return nil, fmt.Errorf("catalogue file %s: %w", file.name, err)
		}
	}
	for i := range chillers.Chillers {
		chillers.Chillers[i].Source = chillers.Source
		chillers.Chillers[i].Grade = chillers.Grade
	}
	return &Plant{chillers.Chillers, coolants.Coolants, coolers.DryCoolers, coolers.Towers, coolers.CDUs}, nil
})

// PlantData returns the chillers, coolants, coolers, towers and CDUs that are built in. Callers must not
// change it.
func PlantData() (*Plant, error) { return loadPlant() }

// Chiller returns the chiller of that name.
func (p *Plant) Chiller(name string) (Chiller, bool) {
	return findPlant(p.Chillers, name, func(c *Chiller) string { return c.Name })
}

// Coolant returns the coolant of that name.
func (p *Plant) Coolant(name string) (Coolant, bool) {
	return findPlant(p.Coolants, name, func(c *Coolant) string { return c.Name })
}

// DryCooler returns the dry cooler of that name.
func (p *Plant) DryCooler(name string) (DryCooler, bool) {
	return findPlant(p.DryCoolers, name, func(c *DryCooler) string { return c.Name })
}

// Tower returns the tower of that name.
func (p *Plant) Tower(name string) (Tower, bool) {
	return findPlant(p.Towers, name, func(t *Tower) string { return t.Name })
}

// CDU returns the coolant distribution unit of that name.
func (p *Plant) CDU(name string) (CDU, bool) {
	return findPlant(p.CDUs, name, func(c *CDU) string { return c.Name })
}

func findPlant[T any](list []T, name string, key func(*T) string) (T, bool) {
	for i := range list {
		if key(&list[i]) == name {
			return list[i], true
		}
	}
	var none T
	return none, false
}
