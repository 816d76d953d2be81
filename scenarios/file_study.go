package scenarios

import "strconv"

// studyPart is many runs of the scenario: which, how often each, and what is asked of them.
type studyPart struct {
	origin
	Figures     names            `yaml:"figures" doc:"Figures of result.json that the table on screen and the charts show; servers placed, PUE, throttled share, throughput and cost where it is not stated." example:"[energy.pue, compute.throughput_pflops]"`
	Vary        []varyLine       `yaml:"vary" doc:"A grid: every value of each line with every value of the others."`
	Sample      *samplePart      `yaml:"sample" doc:"Latin hypercube over ranges and distributions."`
	Replicates  *replicatePart   `yaml:"replicates" doc:"How many seeds, from run.seed on, each point runs with; the same for all points. Or until an interval is narrow enough."`
	Find        *findPart        `yaml:"find" doc:"A search for the outermost value at which conditions hold."`
	Pareto      []goalLine       `yaml:"pareto" doc:"Front over two figures or more: points that no other point beats in all of them."`
	Sensitivity *sensitivityPart `yaml:"sensitivity" doc:"One input at a time: what moving each does to figures."`
	Retries     int              `yaml:"retries" default:"2" min:"0" max:"10" doc:"How often a run that fails is tried again before it is reported."`
}

// varyLine is one axis of the grid, in one of its forms.
type varyLine struct {
	origin
	Name     string   `yaml:"name" doc:"What charts and tables call it; its path where it is not stated." example:"rack power"`
	Path     string   `yaml:"path" doc:"What is varied." example:"racks[A].power"`
	Values   anyList  `yaml:"values" doc:"The values of the path; of paths: a list of lists, one value for each path." example:"[36 kW, 48 kW]"`
	From     anyValue `yaml:"from" doc:"Instead of values: the first of a range. Units: those of the path." example:"18 C"`
	To       anyValue `yaml:"to" doc:"The last of the range, in the same unit. Units: those of the path." example:"27 C"`
	Step     anyValue `yaml:"step" doc:"Distance of the values of the range. Units: those of the path." example:"3 K"`
	Count    *int     `yaml:"count" min:"2" max:"100000" doc:"Instead of step: how many values, equally spaced." example:"4"`
	Paths    names    `yaml:"paths" doc:"Instead of path: several that change together." example:"[\"racks[A].power\", \"racks[A].air\"]"`
	Variants names    `yaml:"variants" doc:"Instead of a path: variants of the file; base is the scenario itself." example:"[base, liquid-48]"`
}

type samplePart struct {
	origin
	Runs int          `yaml:"runs" required:"true" min:"2" max:"1000000" doc:"How many samples." example:"200"`
	Seed uint64       `yaml:"seed" default:"1" doc:"Seed of the samples; it is not the seed of the runs."`
	Over []sampleLine `yaml:"over" required:"true" doc:"What is sampled, each on its own."`
}

type sampleLine struct {
	origin
	Name      string   `yaml:"name" doc:"What charts and tables call it; its path where it is not stated." example:"supply"`
	Path      string   `yaml:"path" required:"true" doc:"What is sampled." example:"cooling.air.supply"`
	From      anyValue `yaml:"from" doc:"Uniform from here. Units: those of the path." example:"18 C"`
	To        anyValue `yaml:"to" doc:"Uniform up to here; the highest of a triangle. Units: those of the path." example:"27 C"`
	Mode      anyValue `yaml:"mode" doc:"With from and to: the likeliest value of a triangle. Units: those of the path." example:"22 C"`
	Mean      anyValue `yaml:"mean" doc:"Mean of a normal distribution. Units: those of the path." example:"24 C"`
	Deviation anyValue `yaml:"deviation" doc:"Standard deviation of the normal distribution. Units: those of the path." example:"1 K"`
	Median    anyValue `yaml:"median" doc:"Median of a log-normal distribution. Units: those of the path." example:"4 h"`
	P95       anyValue `yaml:"p95" doc:"95th percentile of the log-normal distribution. Units: those of the path." example:"12 h"`
	Values    anyList  `yaml:"values" doc:"Instead of numbers: values that are equally likely." example:"[dgx-h100, dgx-h200]"`
	Whole     bool     `yaml:"whole" doc:"Whole numbers only: a uniform range is split evenly over them."`
}

// replicatePart is a number of seeds, or a rule for when there are enough.
type replicatePart struct{ rule replicateRule }

type replicateRule struct {
	origin
	Count  *int     `yaml:"count" min:"1" max:"100000" doc:"How many seeds." example:"8"`
	Min    int      `yaml:"min" default:"4" min:"2" max:"100000" doc:"With figure: at least so many."`
	Max    int      `yaml:"max" default:"64" min:"2" max:"100000" doc:"With figure: at most so many."`
	Figure string   `yaml:"figure" doc:"Stop when the 95 % interval of this figure's mean is narrow enough." example:"energy.pue"`
	Width  anyValue `yaml:"width" doc:"Full width of the interval that is narrow enough: a number in the figure's unit, or a share of the mean. Units: the figure's, or %." example:"1%"`
}

func (v *replicatePart) decode(d *decoder, n *node, path string) {
	decodeShort(d, &v.rule, n, path, "count")
}

func (v *replicatePart) encode() *node {
	if v.rule.Figure == "" && v.rule.Count != nil {
		return plain(strconv.Itoa(*v.rule.Count))
	}
	return encodeStruct(&v.rule)
}

func (v *replicatePart) schema() map[string]any {
	return shortSchema(&v.rule, map[string]any{"type": "integer", "minimum": 1})
}

type findPart struct {
	origin
	Path   string   `yaml:"path" required:"true" doc:"What is searched." example:"racks[A].power"`
	Want   string   `yaml:"want" enum:"largest,smallest" default:"largest" doc:"Which value is looked for."`
	From   anyValue `yaml:"from" required:"true" doc:"Lowest value that is tried. Units: those of the path." example:"30 kW"`
	To     anyValue `yaml:"to" required:"true" doc:"Highest value that is tried, in the same unit. Units: those of the path." example:"120 kW"`
	Step   anyValue `yaml:"step" required:"true" doc:"Values are whole multiples of it above from; the answer is one of them. Units: those of the path." example:"100 W"`
	Where  names    `yaml:"where" doc:"Conditions on figures of result.json that have to hold." example:"[thermal.throttled_share < 1%]"`
	Limits string   `yaml:"limits" enum:"kept,any" default:"kept" doc:"kept: every limit that the plan claims to hold has to hold as well, N-1 of every scheme included."`
	Probes int      `yaml:"probes" default:"5" min:"2" max:"1000" doc:"Values tried over the whole range first: they show whether the answer changes once. Where it does not, the search is a bounded one around the outermost of them that holds."`
}

type goalLine struct {
	origin
	Figure string `yaml:"figure" required:"true" doc:"A figure of result.json." example:"money.per_pflop_day"`
	Want   string `yaml:"want" enum:"least,most" default:"least" doc:"Which way is better."`
}

type sensitivityPart struct {
	origin
	Figures names       `yaml:"figures" required:"true" doc:"Figures whose changes are shown." example:"[energy.pue]"`
	Over    []swingLine `yaml:"over" required:"true" doc:"Inputs that are moved, one at a time; all others stay as the scenario has them."`
}

type swingLine struct {
	origin
	Name string   `yaml:"name" doc:"What charts and tables call it; its path where it is not stated." example:"supply"`
	Path string   `yaml:"path" required:"true" doc:"What is moved." example:"cooling.air.supply"`
	Low  anyValue `yaml:"low" required:"true" doc:"One end. Units: those of the path." example:"20 C"`
	High anyValue `yaml:"high" required:"true" doc:"The other end. Units: those of the path." example:"27 C"`
}

// anyValue is a value for some path of the scenario, kept as it is written.
type anyValue struct{ n *node }

func (v *anyValue) decode(_ *decoder, n *node, _ string) { v.n = n }
func (v *anyValue) encode() *node                        { return v.n }
func (v *anyValue) schema() map[string]any {
	return map[string]any{"type": []any{"string", "number"}}
}

// text is the value on one line of YAML, as --set takes it.
func (v anyValue) text() string { return v.n.oneLine() }

// anyList is a list of values for some path.
type anyList struct {
	items []*node
	n     *node
}

func (v *anyList) decode(d *decoder, n *node, path string) {
	if n.kind != listNode {
		d.fail(n.pos, path, "put brackets around them", "want a list of values (got %s)", n.describe())
		return
	}
	if len(n.items) == 0 {
		d.fail(n.pos, path, "", "want at least one value (got an empty list)")
	}
	v.n, v.items = n, n.items
}

func (v *anyList) encode() *node {
	if v.n == nil {
		return nil
	}
	c := *v.n
	c.flow = true
	return &c
}

func (v *anyList) schema() map[string]any { return map[string]any{"type": "array", "minItems": 1} }

// oneLine writes a node as YAML on one line.
func (n *node) oneLine() string {
	if n == nil {
		return ""
	}
	if n.kind == scalarNode && (n.tag != "!!str" || plainWord(n.value)) {
		return n.value
	}
	c := n.clone()
	c.setFlow()
	text, err := printYAML(c)
	if err != nil {
		return n.value
	}
	return string(trimNewline(text))
}

func (n *node) setFlow() {
	n.flow = true
	for _, x := range n.items {
		x.setFlow()
	}
}

func trimNewline(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == '\n' {
		b = b[:len(b)-1]
	}
	return b
}

// plainWord says whether a text reads back as itself without quotes: the usual quantities and names do.
func plainWord(s string) bool {
	n, ps := parseYAML("", []byte(s))
	return len(ps) == 0 && n.kind == scalarNode && n.tag == "!!str" && n.value == s
}
