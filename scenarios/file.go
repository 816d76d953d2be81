package scenarios

// file is a scenario as it is written, after overlays. The comments on keys are in the doc tags: the
// schema is made from them.
type file struct {
	origin
	Version    int         `yaml:"version" required:"true" min:"1" max:"1" doc:"Version of the file format." example:"1"`
	Name       string      `yaml:"name" doc:"What a report calls the scenario; the file's name where it is not stated." example:"One hall, 48 kW racks, air"`
	Basis      string      `yaml:"basis" enum:"nameplate,planned,measured,capped" default:"nameplate" doc:"What a server counts for when racks are filled: its nameplate, 1.07 times its sustained peak, a percentile of what was measured, or its cap."`
	Site       siteSection `yaml:"site" doc:"Place, weather, prices and the air class."`
	Power      *powerPart  `yaml:"power" doc:"The electrical side: short form by levels, or nodes in general form."`
	Cooling    *coolPart   `yaml:"cooling" doc:"Air handlers and liquid loops."`
	Plants     plantMap    `yaml:"plants" doc:"Chillers, dry coolers and other plants, by name."`
	Racks      []rackLine  `yaml:"racks" required:"true" doc:"Rack rows with their limits."`
	Placement  *placePart  `yaml:"placement" doc:"How racks are chosen."`
	Servers    []orderLine `yaml:"servers" required:"true" doc:"What is to be placed, first line first."`
	Network    *netPart    `yaml:"network" doc:"How servers meet; what jobs over several servers of a named model need." example:"infiniband-400"`
	Workload   []classLine `yaml:"workload" doc:"Job classes; their arrivals are drawn from the seed."`
	Replay     []traceLine `yaml:"replay" doc:"Job traces replayed as recorded."`
	Scheduling *schedPart  `yaml:"scheduling" doc:"How the queue is run and where jobs are put; first come, first served by best fit where it is not stated."`
	Failures   failPart    `yaml:"failures" doc:"Random and scripted losses."`
	Caps       []capLine   `yaml:"caps" doc:"Power caps over the site, power elements or racks; caps on one model are on its line of servers."`
	Run        runPart     `yaml:"run" doc:"What is simulated, and how finely it is reported."`
	Plan       *planPart   `yaml:"plan" doc:"Over time: deliveries, rows that come and go, reservations, and how demand grows."`
	Study      *studyPart  `yaml:"study" doc:"Many runs: a grid, samples, replicates, a search, a front, what each input moves."`
	Money      *moneyPart  `yaml:"money" doc:"Time-of-use and hourly prices, demand charge, water, carbon, capital cost and cloud offers, for what the work costs."`
	Catalog    rawMap      `yaml:"catalog" doc:"Servers, GPUs, curves, plants and climates of your own, in the form of the built-in catalogue."`
	Variants   variantMap  `yaml:"variants" doc:"What-ifs by name: the same scenario with some paths set to other values."`
}

type siteSection struct {
	origin
	Climate  string     `yaml:"climate" doc:"A built-in climate, made from monthly statistics." example:"shanghai"`
	Weather  string     `yaml:"weather" doc:"Weather file (EPW or CSV, plain or .gz), from the scenario's folder; wins over climate." example:"weather/shanghai.epw"`
	Zone     *float64   `yaml:"zone" min:"-14" max:"14" doc:"Hours east of UTC, for weather files that state times in UTC." example:"8"`
	Altitude Quantity   `yaml:"altitude" unit:"length" doc:"Height above sea level; that of the weather where it is not stated." example:"4 m"`
	Price    priceValue `yaml:"price" doc:"Price of electricity; cost is unknown without it." example:"0.65 CNY/kWh"`
	Carbon   Quantity   `yaml:"carbon" unit:"carbon" doc:"Carbon of the grid; unknown where it is not stated." example:"0.55 kg/kWh"`
	Class    string     `yaml:"class" enum:"A1,A2,A3,A4,H1" default:"A2" doc:"ASHRAE air class against which inlet hours are counted."`
	Other    *otherPart `yaml:"other" doc:"Steady load that is neither IT nor cooling: lights, offices."`
}

type otherPart struct {
	origin
	Power Quantity `yaml:"power" unit:"power" required:"true" doc:"The load."`
	Fed   names    `yaml:"fed" doc:"Power level or node that feeds it; the utility where it is not stated."`
}

type runPart struct {
	origin
	Start     momentValue `yaml:"start" default:"2026-01-01" doc:"Local wall clock at which the run begins." example:"2026-01-01"`
	Length    Quantity    `yaml:"length" unit:"duration" default:"365 d" above:"0" max:"1e9" doc:"Simulated time." example:"365 d"`
	Seed      uint64      `yaml:"seed" default:"1" doc:"Seed of every random stream."`
	Series    Quantity    `yaml:"series" unit:"duration" default:"1 h" min:"1" doc:"Spacing of the recorded series; it does not change results."`
	Warmup    Quantity    `yaml:"warmup" unit:"duration" default:"0 s" doc:"Statistics begin after it; the state runs through." example:"7 d"`
	Spread    Quantity    `yaml:"spread" unit:"share" default:"2%" doc:"Standard deviation of a server's worst GPU slot against its model's, as a share of its thermal resistance (assumed)."`
	Twin      bool        `yaml:"twin" doc:"Run the unlimited twin as well (no heat, no caps, same arrivals), for the throughput ratio."`
	Tolerance Quantity    `yaml:"tolerance" unit:"difference" default:"0.1 K" above:"0" max:"5" doc:"Drift of a temperature after which what depends on it is updated."`
}

type failPart struct {
	origin
	Server *serverFail `yaml:"server" doc:"Random failures of whole servers; shares for GPUs, memory and links are inside the rate."`
	Parts  []partFail  `yaml:"parts" doc:"Random failures of units of the building."`
	Events []lossLine  `yaml:"events" doc:"Scripted losses and planned work."`
}

// The default failure rate is that of the Llama 3 training run: 419 unexpected interruptions of 16,384
// H100 in 54 days, one per 8-GPU node in 264 days (The Llama 3 Herd of Models, reliability table).
type serverFail struct {
	origin
	Rate    Quantity `yaml:"rate" unit:"failurerate" default:"3.8 per 1000 node-days" doc:"Failures of one server; the default is one in 264 days, as in the Llama 3 training run." example:"3.8 per 1000 node-days"`
	Repair  Quantity `yaml:"repair" unit:"duration" default:"4 h" min:"1" doc:"Time until a failed server is back (assumed)."`
	P95     Quantity `yaml:"p95" unit:"duration" above:"0" doc:"95th percentile of repairs; they are then log-normal with median repair, else exponential."`
	Spares  int      `yaml:"spares" min:"0" doc:"Servers in store: a failed one is swapped while there are any." example:"2"`
	Swap    Quantity `yaml:"swap" unit:"duration" default:"1 h" doc:"Time to swap a failed server for a spare (assumed)."`
	Restart Quantity `yaml:"restart" unit:"duration" default:"10 min" doc:"Time a job loses in a restart besides the work since its checkpoint (assumed)."`
}

type lossLine struct {
	origin
	At      momentValue `yaml:"at" required:"true" doc:"Local wall clock." example:"2026-07-15 14:00"`
	Lose    string      `yaml:"lose" required:"true" doc:"Path of what is lost." example:"cooling.air.units[2]"`
	For     Quantity    `yaml:"for" unit:"duration" doc:"How long; until the end of the run where it is not stated." example:"2 h"`
	Planned bool        `yaml:"planned" doc:"Announced work: jobs save what they did before it begins."`
}
