package units

import "math/big"

// Dimension says what a quantity measures, and with that its base unit.
type Dimension uint8

// The dimensions, each with the base unit of the float64 that Parse returns.
const (
	Power        Dimension = iota // W
	Apparent                      // VA
	Current                       // A
	Voltage                       // V line to line; see ParseVoltage
	Temperature                   // °C
	Difference                    // K, a temperature difference
	Length                        // m
	Mass                          // kg
	Duration                      // s
	Airflow                       // m3/s
	LiquidFlow                    // L/min
	Pressure                      // Pa
	Energy                        // J
	Share                         // 0 to 1
	Volume                        // L
	RackUnits                     // U
	HeatCapacity                  // J/K
	Carbon                        // kg/kWh
	Rate                          // per second
	FailureRate                   // per node-day
	Conductance                   // W/K
	Resistance                    // K/W, thermal
	PerKelvin                     // 1/K
	Compute                       // TFLOPS
	Memory                        // GB
	Bandwidth                     // GB/s
	Clock                         // MHz
	Count                         // a bare number
	dimensions                    // how many there are
)

// unit is one way to write a quantity: base = (number − zero)·factor.
type unit struct {
	name    string   // canonical text
	aliases []string // other texts that mean the same
	factor  *big.Rat
	zero    *big.Rat // where its scale reads when the base reads 0, nil for 0
	tight   bool     // printed without a space: 80%, 48U
	printed bool     // Format may choose it
}

type dimension struct {
	name    string // as an error names it
	example string
	units   []unit // largest first
	signed  bool   // may be below zero
	min     *big.Rat
	max     *big.Rat
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("units: bad factor " + s)
	}
	return r
}

// shown is a unit that Format may choose, read is one that is only read.
func shown(name, factor string, aliases ...string) unit {
	return unit{name: name, factor: rat(factor), aliases: aliases, printed: true}
}

func read(name, factor string, aliases ...string) unit {
	return unit{name: name, factor: rat(factor), aliases: aliases}
}

// Factors are exact by definition: international foot and pound (1959), US gallon (231 cubic inches),
// pound-force with standard gravity 9.80665 m/s2.
var table = [dimensions]dimension{
	Power: {name: "power", example: "48 kW", units: []unit{
		shown("GW", "1e9"), shown("MW", "1e6"), shown("kW", "1000"), shown("W", "1"),
	}},
	Apparent: {name: "apparent power", example: "2.5 MVA", units: []unit{
		shown("MVA", "1e6"), shown("kVA", "1000"), shown("VA", "1"),
	}},
	Current: {name: "current", example: "100 A", units: []unit{
		shown("kA", "1000"), shown("A", "1"), shown("mA", "1/1000"),
	}},
	Voltage: {name: "voltage", example: "415 V L-L", units: []unit{
		shown("kV", "1000"), shown("V", "1"),
	}},
	Temperature: {name: "temperature", example: "24 C", signed: true, min: rat("-273.15"), units: []unit{
		shown("C", "1", "°C", "℃", "degC"),
		{name: "F", aliases: []string{"°F", "℉", "degF"}, factor: rat("5/9"), zero: rat("32")},
		{name: "K", factor: rat("1"), zero: rat("273.15")},
	}},
	Difference: {name: "temperature difference", example: "10 K", signed: true, units: []unit{shown("K", "1")}},
	Length: {name: "length", example: "600 mm", units: []unit{
		shown("km", "1000"), shown("m", "1"), read("ft", "0.3048"), read("in", "0.0254"),
		read("cm", "1/100"), shown("mm", "1/1000"),
	}},
	Mass: {name: "mass", example: "130 kg", units: []unit{
		shown("t", "1000"), shown("kg", "1"), read("lb", "0.45359237", "lbs"), shown("g", "1/1000"),
	}},
	Duration: {name: "duration", example: "36 h", units: []unit{
		read("week", "604800", "weeks", "w"),
		shown("d", "86400", "day", "days"),
		shown("h", "3600", "hour", "hours"),
		shown("min", "60", "minute", "minutes"),
		shown("s", "1", "second", "seconds"),
		shown("ms", "1/1000"),
	}},
	Airflow: {name: "airflow", example: "9 m3/s", units: []unit{
		shown("m3/s", "1", "m³/s", "m^3/s"), shown("L/s", "1/1000", "l/s"),
		read("cfm", "0.0004719474432", "CFM"), shown("m3/h", "1/3600", "m³/h", "m^3/h"),
	}},
	LiquidFlow: {name: "liquid flow", example: "1500 L/min", units: []unit{
		read("L/s", "60", "l/s"), read("m3/h", "1000/60", "m³/h", "m^3/h"),
		read("gpm", "3.785411784", "GPM"), shown("L/min", "1", "l/min", "LPM", "lpm"),
	}},
	Pressure: {name: "pressure", example: "250 kPa", units: []unit{
		read("bar", "100000"), shown("kPa", "1000"), read("psi", "6894.757293168"), shown("Pa", "1"),
	}},
	Energy: {name: "energy", example: "200 kWh", units: []unit{
		shown("MWh", "3.6e9"), shown("kWh", "3.6e6"), shown("MJ", "1e6"), shown("Wh", "3600"), shown("kJ", "1000"), shown("J", "1"),
	}},
	Share: {name: "share", example: "80%", max: rat("1"), units: []unit{
		{name: "%", factor: rat("1/100"), tight: true, printed: true},
		{name: "", factor: rat("1"), tight: true},
	}},
	Volume: {name: "volume", example: "900 L", units: []unit{
		shown("m3", "1000", "m³", "m^3"), shown("L", "1", "l"),
	}},
	RackUnits: {name: "rack units", example: "48U", units: []unit{
		{name: "U", aliases: []string{"RU"}, factor: rat("1"), tight: true, printed: true},
	}},
	HeatCapacity: {name: "heat capacity", example: "500 kJ/K", units: []unit{
		shown("MJ/K", "1e6"), shown("kJ/K", "1000"), shown("J/K", "1"),
	}},
	Carbon: {name: "carbon intensity", example: "0.55 kg/kWh", units: []unit{
		shown("kg/kWh", "1", "kgCO2/kWh", "t/MWh"), shown("g/kWh", "1/1000", "gCO2/kWh"),
	}},
	Rate: {name: "rate", example: "2/day", units: []unit{
		{name: "/s", aliases: []string{"/second", "per s", "per second"}, factor: rat("1"), tight: true, printed: true},
		{name: "/min", aliases: []string{"/minute", "per min", "per minute"}, factor: rat("1/60"), tight: true, printed: true},
		{name: "/h", aliases: []string{"/hour", "per h", "per hour"}, factor: rat("1/3600"), tight: true, printed: true},
		{name: "/day", aliases: []string{"/d", "per day", "per d"}, factor: rat("1/86400"), tight: true, printed: true},
		{name: "/week", aliases: []string{"/w", "per week"}, factor: rat("1/604800"), tight: true, printed: true},
	}},
	FailureRate: {name: "failure rate", example: "3.8 per 1000 node-days", units: []unit{
		{name: "/node-day", aliases: []string{"per node-day"}, factor: rat("1"), tight: true, printed: true},
		shown("per 1000 node-days", "1/1000", "per 1000 node-day", "/1000 node-days"),
	}},
	Conductance: {name: "conductance", example: "250 W/K", units: []unit{shown("kW/K", "1000"), shown("W/K", "1")}},
	Resistance:  {name: "thermal resistance", example: "0.06 K/W", units: []unit{shown("K/W", "1"), read("K/kW", "1/1000")}},
	PerKelvin:   {name: "rate per kelvin", example: "0.015 /K", units: []unit{shown("/K", "1", "1/K"), read("%/K", "1/100")}},
	Compute: {name: "compute", example: "989 TFLOPS", units: []unit{
		shown("EFLOPS", "1e6"), shown("PFLOPS", "1000"), shown("TFLOPS", "1", "TOPS"),
	}},
	Memory:    {name: "memory", example: "80 GB", units: []unit{shown("TB", "1000"), shown("GB", "1"), shown("MB", "1/1000")}},
	Bandwidth: {name: "bandwidth", example: "3.35 TB/s", units: []unit{shown("TB/s", "1000"), shown("GB/s", "1"), read("Gb/s", "1/8")}},
	Clock:     {name: "clock", example: "1980 MHz", units: []unit{shown("GHz", "1000"), shown("MHz", "1")}},
	Count:     {name: "number", example: "8", signed: true, units: []unit{{name: "", factor: rat("1"), tight: true, printed: true}}},
}

// String names the dimension as errors do: "power", "temperature difference".
func (d Dimension) String() string {
	if d >= dimensions {
		return "unknown dimension"
	}
	return table[d].name
}

// Example returns a quantity of the dimension as it is written.
func (d Dimension) Example() string {
	if d >= dimensions {
		return ""
	}
	return table[d].example
}

// Units returns the canonical texts of the dimension's units, largest first.
func (d Dimension) Units() []string {
	if d >= dimensions {
		return nil
	}
	var names []string
	for _, u := range table[d].units {
		if u.name != "" {
			names = append(names, u.name)
		}
	}
	return names
}

// BaseUnit returns the unit in which Parse gives the quantity: "W", "C", "" for shares and counts.
func (d Dimension) BaseUnit() string {
	if d >= dimensions || d == Share {
		return ""
	}
	one := rat("1")
	for _, u := range table[d].units {
		if u.zero == nil && u.factor.Cmp(one) == 0 {
			return u.name
		}
	}
	return ""
}
