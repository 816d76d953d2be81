package catalog

import (
	_ "embed" // the data file below
	"fmt"
	"math"
	"sync"

	"go.yaml.in/yaml/v4"
)

//go:embed data/classes.yaml
var classesYAML []byte

// AirClass is a class of air-cooled equipment: ranges at its inlet, °C, at sea level.
type AirClass struct {
	Name        string     `yaml:"name"`
	Recommended [2]float64 `yaml:"recommended_c"`
	Allowable   [2]float64 `yaml:"allowable_c"`
	DewPointC   [2]float64 `yaml:"dew_point_c"`
	RH          [2]float64 `yaml:"rh"` // 0 to 1
	// Above DerateFromM metres, DeratePerK metres take a kelvin off the allowable maximum.
	DerateFromM float64 `yaml:"derate_from_m"`
	DeratePerK  float64 `yaml:"derate_m_per_k"`
}

// AllowableMaxC is the allowable maximum at an altitude. A2 at 2,400 m: 35 − 1,500/300 = 30 °C.
func (c AirClass) AllowableMaxC(altitudeM float64) float64 {
	return c.Allowable[1] - max(altitudeM-c.DerateFromM, 0)/c.DeratePerK
}

// LiquidClass is a class of facility water or technology coolant by its warmest supply; +Inf has no end.
type LiquidClass struct {
	Name  string
	MaxC  float64
	Plant string // what usually makes it
}

// Classes are the ASHRAE classes, narrowest first.
type Classes struct {
	Air            []AirClass
	Water, Coolant []LiquidClass
}

var loadClasses = sync.OnceValues(func() (*Classes, error) {
	type liquid struct {
		Name  string   `yaml:"name"`
		MaxC  *float64 `yaml:"max_c"`
		Plant string   `yaml:"plant"`
	}
	var file struct {
		Air     []AirClass `yaml:"air"`
		Water   []liquid   `yaml:"water"`
		Coolant []liquid   `yaml:"coolant"`
	}
	if err := yaml.Load(classesYAML, &file, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("catalogue file classes.yaml: %w", err)
	}
	turn := func(list []liquid) (out []LiquidClass) {
		for _, l := range list {
			c := LiquidClass{Name: l.Name, MaxC: math.Inf(1), Plant: l.Plant}
			if l.MaxC != nil {
				c.MaxC = *l.MaxC
			}
			out = append(out, c)
		}
		return out
	}
	return &Classes{file.Air, turn(file.Water), turn(file.Coolant)}, nil
})

// ASHRAE returns the classes. Callers must not change them.
func ASHRAE() (*Classes, error) { return loadClasses() }

// AirNamed returns the air class of a name.
func (c *Classes) AirNamed(name string) (AirClass, bool) {
	return findPlant(c.Air, name, func(a *AirClass) string { return a.Name })
}

// LiquidNamed returns the water or coolant class of a name.
func (c *Classes) LiquidNamed(name string) (LiquidClass, bool) {
	if l, ok := findPlant(c.Water, name, func(a *LiquidClass) string { return a.Name }); ok {
		return l, true
	}
	return findPlant(c.Coolant, name, func(a *LiquidClass) string { return a.Name })
}
