package scenarios

type powerPart struct {
	origin
	Utility      *utilityLevel     `yaml:"utility" doc:"What the grid connection may carry."`
	Generators   *generatorLevel   `yaml:"generators" doc:"Standby generators; they feed the transformers, and all that hangs on these, when the utility is lost."`
	Transformers *transformerLevel `yaml:"transformers" doc:"Transformers below the utility."`
	UPS          *upsLevel         `yaml:"ups" doc:"Uninterruptible supplies."`
	PDUs         *boardLevel       `yaml:"pdus" doc:"Floor distribution between UPS and racks or busways."`
	Busways      *boardLevel       `yaml:"busways" doc:"Busways along the rows."`
	Nodes        []nodeLine        `yaml:"nodes" doc:"General form: any graph, parents before children; used instead of the levels."`
}

type utilityLevel struct {
	origin
	Capacity ratingValue `yaml:"capacity" required:"true" doc:"Of the connection, kW or kVA." example:"4 MW"`
	PF       Quantity    `yaml:"pf" unit:"share" above:"0" doc:"Power factor of the load behind it."`
	Derate   Quantity    `yaml:"derate" unit:"share" above:"0" default:"100%" doc:"Share of the capacity that may be used."`
}

type generatorLevel struct {
	origin
	Count  int         `yaml:"count" min:"1" max:"1000" default:"1" doc:"Units in parallel."`
	Scheme scheme      `yaml:"scheme" default:"N" doc:"Redundancy."`
	Rating ratingValue `yaml:"rating" required:"true" doc:"Of one unit." example:"2 MW"`
	PF     Quantity    `yaml:"pf" unit:"share" above:"0" doc:"Power factor of the load behind it."`
	Derate Quantity    `yaml:"derate" unit:"share" above:"0" doc:"Share of the rating that may be used; where it is not stated what altitude and the design day leave of it (4% less for every 300 m above 1,000 m, 2% for every 5 K above 40 C)."`
	Start  Quantity    `yaml:"start" unit:"duration" default:"15 s" doc:"Time until a unit takes load (10–15 s is usual)."`
}

type transformerLevel struct {
	origin
	Sides  names       `yaml:"sides" doc:"One group of units for each side."`
	Count  int         `yaml:"count" min:"1" max:"1000" default:"1" doc:"Units in parallel (of each side)."`
	Rating ratingValue `yaml:"rating" required:"true" doc:"Of one unit." example:"2.5 MVA"`
	Scheme scheme      `yaml:"scheme" default:"N" doc:"Redundancy."`
	PF     Quantity    `yaml:"pf" unit:"share" above:"0" doc:"Power factor of the load behind it."`
	Derate Quantity    `yaml:"derate" unit:"share" above:"0" default:"100%" doc:"Share of the rating that may be used."`
	Curve  string      `yaml:"curve" doc:"Loss curve of the catalogue." example:"dry"`
}

type upsLevel struct {
	origin
	Sides   names       `yaml:"sides" doc:"One group of modules for each side." example:"[A, B]"`
	Modules int         `yaml:"modules" min:"1" max:"1000" default:"1" doc:"Modules in parallel (of each side)."`
	Rating  ratingValue `yaml:"rating" required:"true" doc:"Of one module." example:"1 MVA"`
	Scheme  scheme      `yaml:"scheme" default:"N" doc:"Redundancy within a side; 2N makes sides A and B, 3N2 and 4N3 make systems with every rack on a pair of them, block puts static switches between blocks and one reserve."`
	Blocks  int         `yaml:"blocks" min:"0" max:"100" doc:"Blocks of a block redundant scheme, besides the reserve; rows are dealt to them in turn." example:"2"`
	Switch  ratingValue `yaml:"switch" doc:"Rating of each block's static switch; that of its block where it is not stated."`
	PF      Quantity    `yaml:"pf" unit:"share" above:"0" doc:"Power factor of the load behind it."`
	Derate  Quantity    `yaml:"derate" unit:"share" above:"0" default:"100%" doc:"Share of the rating that may be used."`
	Curve   string      `yaml:"curve" doc:"Loss curve of the catalogue." example:"double-conversion"`
	Battery Quantity    `yaml:"battery" unit:"duration" default:"5 min" doc:"Ride-through at full load; a flywheel gives 15–30 s."`
}

type boardLevel struct {
	origin
	Per     string      `yaml:"per" enum:"row,hall" default:"hall" doc:"One for each row of racks, or one for the hall."`
	Sides   names       `yaml:"sides" doc:"One for each side." example:"[A, B]"`
	Count   int         `yaml:"count" min:"1" max:"1000" default:"1" doc:"Units in parallel (of each row and side)."`
	Scheme  scheme      `yaml:"scheme" default:"N" doc:"Redundancy."`
	Rating  ratingValue `yaml:"rating" required:"true" doc:"In A with a voltage, or in kVA." example:"2000 A"`
	Voltage Quantity    `yaml:"voltage" unit:"voltage" above:"0" doc:"With its basis, L-L or L-N." example:"415 V L-L"`
	PF      Quantity    `yaml:"pf" unit:"share" above:"0" doc:"Power factor of the load behind it."`
	Derate  Quantity    `yaml:"derate" unit:"share" above:"0" doc:"Share of the rating that may be used continuously: 80% under NEC, 100% under IEC practice." example:"80%"`
	Curve   string      `yaml:"curve" doc:"Loss curve of the catalogue." example:"busway"`
}

type nodeLine struct {
	origin
	ID       string      `yaml:"id" required:"true" doc:"Name, used by from, fed and lose." example:"ups"`
	Kind     string      `yaml:"kind" enum:"utility,generator,transformer,switchboard,static-switch,ups,flywheel,distribution,pdu,rpp,busway,busbar" doc:"What it is; taken from its keys and name where it is not stated."`
	Count    int         `yaml:"count" min:"1" max:"1000" default:"1" doc:"Units in parallel on one output (of each row and side)."`
	Scheme   scheme      `yaml:"scheme" default:"N" doc:"Redundancy among the units."`
	Per      string      `yaml:"per" enum:"row,hall" default:"hall" doc:"One for each row of racks, or one for the hall."`
	Sides    names       `yaml:"sides" doc:"One for each side." example:"[A, B]"`
	From     names       `yaml:"from" doc:"What feeds it; several share the load, or with transfer the first that is up carries it." example:"[tx, gen]"`
	Transfer *bool       `yaml:"transfer" doc:"The first source that is up carries all; the default where one source is a generator." example:"true"`
	Rating   ratingValue `yaml:"rating" required:"true" doc:"Of one unit, kVA, kW or A." example:"2.5 MVA"`
	Voltage  Quantity    `yaml:"voltage" unit:"voltage" above:"0" doc:"With its basis, L-L or L-N." example:"415 V L-L"`
	PF       Quantity    `yaml:"pf" unit:"share" above:"0" doc:"Power factor of the load behind it."`
	Derate   Quantity    `yaml:"derate" unit:"share" above:"0" doc:"Share of the rating that may be used continuously." example:"80%"`
	Legs     string      `yaml:"legs" enum:"three-phase,L1,L2,L3,L1-L2,L2-L3,L3-L1" default:"three-phase" doc:"Lines of a single-phase element."`
	Curve    string      `yaml:"curve" doc:"Loss curve of the catalogue." example:"double-conversion"`
	Battery  Quantity    `yaml:"battery" unit:"duration" doc:"Ride-through at full load (UPS)."`
	Start    Quantity    `yaml:"start" unit:"duration" doc:"Time until it takes load (generator)."`
}
