package scenarios

type rackLine struct {
	origin
	Row     string    `yaml:"row" doc:"Name of the row; its racks are called by it and a number: A01, A02 and so on." example:"A"`
	Names   names     `yaml:"names" doc:"Names of the line's racks where they have names of their own; several lines with names may share a row." example:"[R17, R18]"`
	Rows    int       `yaml:"rows" min:"1" max:"2000" default:"1" doc:"That many equal rows, named A, B … as names are free."`
	Count   int       `yaml:"count" min:"1" max:"10000" default:"1" doc:"Racks in a row."`
	Pitch   Quantity  `yaml:"pitch" unit:"length" above:"0" default:"600 mm" doc:"Width of one rack position."`
	Depth   Quantity  `yaml:"depth" unit:"length" above:"0" default:"1.2 m" doc:"Depth of a rack."`
	Aisle   Quantity  `yaml:"aisle" unit:"length" default:"1.2 m" doc:"Width of the aisle before the next row."`
	Height  Quantity  `yaml:"height" unit:"rackunits" min:"1" max:"100" default:"42U" doc:"Usable rack units."`
	Reserve Quantity  `yaml:"reserve" unit:"rackunits" default:"0U" doc:"Rack units kept for switches and cables."`
	Keep    Quantity  `yaml:"reserve_power" unit:"power" default:"0 W" doc:"Power kept for switches and storage."`
	Power   Quantity  `yaml:"power" unit:"power" max:"1e9" doc:"Rack power limit; no limit where it is not stated." example:"48 kW"`
	Air     Quantity  `yaml:"air" unit:"power" max:"1e9" doc:"Heat the air may take from one rack; no limit where it is not stated." example:"48 kW"`
	Liquid  Quantity  `yaml:"liquid" unit:"power" max:"1e9" doc:"Heat the liquid loop may take from one rack; no limit where it is not stated." example:"45 kW"`
	Load    Quantity  `yaml:"load" unit:"mass" doc:"Static load limit of rack and floor; unknown where it is not stated." example:"1360 kg"`
	Frame   Quantity  `yaml:"frame" unit:"mass" default:"150 kg" doc:"Empty frame with its distribution (120–180 kg is usual for 42–48U)."`
	Takes   string    `yaml:"takes" enum:"any,air,liquid" default:"any" doc:"Only air-cooled or only liquid-cooled servers."`
	Cost    *float64  `yaml:"cost" min:"0" doc:"Of taking one rack into use, for the policy cheapest; unknown where it is not stated." example:"1"`
	Feeds   *feedPart `yaml:"feeds" doc:"Circuits that end at each rack."`
}

type feedPart struct {
	origin
	Sides   names    `yaml:"sides" doc:"One circuit from each side; those of the level above where they are not stated." example:"[A, B]"`
	From    names    `yaml:"from" doc:"Level that feeds the rack; the last distribution level where it is not stated."`
	Breaker Quantity `yaml:"breaker" unit:"current" above:"0" doc:"Rated current of one circuit; the level above limits it where it is not stated." example:"100 A"`
	Voltage Quantity `yaml:"voltage" unit:"voltage" above:"0" doc:"With its basis; that of the level above where it is not stated." example:"415 V L-L"`
	Legs    names    `yaml:"legs" doc:"Lines of single-phase circuits, dealt to the racks in turn: L1, L2 and L3 to neutral, L1-L2, L2-L3 and L3-L1 between lines; three-phase where it is not stated." example:"[L1, L2, L3]"`
	Outlets string   `yaml:"outlets" enum:"even,L-N,L-L" default:"even" doc:"How the supplies of servers hang on a three-phase circuit: counted as even over its lines, or dealt in turn to one line and neutral each, or between two lines each; then the fullest line is a limit."`
	Cord    Quantity `yaml:"cord" unit:"current" above:"0" doc:"Rated current of the cord, where it is lower than the breaker's."`
	Tap     Quantity `yaml:"tap" unit:"current" above:"0" doc:"Rated current of the busway's tap-off, where it is lower than the breaker's."`
	PDU     Quantity `yaml:"pdu" unit:"current" above:"0" doc:"Rated current of the rack PDU, where it is lower than the breaker's."`
	Scheme  string   `yaml:"scheme" enum:"N,N+1,2N" doc:"What the feeds are claimed to be; refused where their number cannot hold it."`
	PF      Quantity `yaml:"pf" unit:"share" above:"0" doc:"Power factor of the servers behind it."`
	Derate  Quantity `yaml:"derate" unit:"share" above:"0" doc:"Share of the breaker that may be used continuously; that of the level above where it is not stated."`
}

type orderLine struct {
	origin
	Model    string        `yaml:"model" required:"true" doc:"A server of the catalogue." example:"dgx-h100"`
	Count    countOrMax    `yaml:"count" default:"max" doc:"A number, or max: as many as fit." example:"max"`
	Cap      capValue      `yaml:"cap" doc:"Power cap at the cord of one server, in kW or as a share of nameplate; placement counts it." example:"70%"`
	Block    *blockPart    `yaml:"block" doc:"Keeps servers together; only whole blocks are placed."`
	Spread   *spreadPart   `yaml:"spread" doc:"Spreads the servers over elements of the power section."`
	Measured *measuredPart `yaml:"measured" doc:"Measured draw of one server, for the basis measured."`
	GPUCap   Quantity      `yaml:"gpu_cap" unit:"power" above:"0" doc:"Power cap of each GPU." example:"500 W"`
}

// placePart says how the racks are chosen.
type placePart struct {
	origin
	Policy string `yaml:"policy" enum:"densest,coolest,balanced,fewest-racks,cheapest" default:"densest" doc:"Which racks are taken where several would do: full ones after each other, where the air is least loaded, where circuits and busways stay least loaded, as few as will do, or those with the lowest cost."`
}

type blockPart struct {
	origin
	Servers int      `yaml:"servers" required:"true" min:"2" max:"100000" doc:"Servers of one block." example:"32"`
	Racks   int      `yaml:"racks" min:"0" doc:"In at most so many neighbouring racks; anywhere in one row where it is not stated." example:"8"`
	Reach   Quantity `yaml:"reach" unit:"length" above:"0" doc:"Longest way between two racks of a block, along and across the rows." example:"30 m"`
}

type spreadPart struct {
	origin
	Over names `yaml:"over" required:"true" doc:"Levels or single elements of the power section." example:"busways"`
	Most int   `yaml:"most" min:"0" doc:"Servers of the line on one of them at most; as even as can be where it is not stated." example:"2"`
}

type measuredPart struct {
	origin
	Power      Quantity `yaml:"power" unit:"power" above:"0" doc:"Draw of one server." example:"8.1 kW"`
	Readings   names    `yaml:"readings" doc:"Readings of the draw of one server, of which the percentile is taken." example:"[7.6 kW, 7.9 kW, 8.2 kW]"`
	Series     string   `yaml:"series" doc:"CSV file beside the scenario with readings over time: the time in the first column, the draw in W of one server or rack in each other one; empty cells are unknown." example:"draw.csv"`
	Columns    names    `yaml:"columns" doc:"Columns of the series that count; all but the first where they are not stated." example:"[A01, A02]"`
	Per        string   `yaml:"per" enum:"server,rack" default:"server" doc:"What a column of the series is the draw of."`
	Servers    int      `yaml:"servers" min:"0" max:"1000" doc:"Servers in each of the racks, with per: rack." example:"4"`
	Percentile Quantity `yaml:"percentile" unit:"share" above:"0" max:"1" default:"99%" doc:"Percentile of the readings that is counted; of a series the share of the time."`
}
