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
	Power   Quantity  `yaml:"power" unit:"power" doc:"Rack power limit; no limit where it is not stated." example:"48 kW"`
	Air     Quantity  `yaml:"air" unit:"power" doc:"Heat the air may take from one rack; no limit where it is not stated." example:"48 kW"`
	Liquid  Quantity  `yaml:"liquid" unit:"power" doc:"Heat the liquid loop may take from one rack; no limit where it is not stated." example:"45 kW"`
	Load    Quantity  `yaml:"load" unit:"mass" doc:"Static load limit of rack and floor; unknown where it is not stated." example:"1360 kg"`
	Frame   Quantity  `yaml:"frame" unit:"mass" default:"150 kg" doc:"Empty frame with its distribution (120–180 kg is usual for 42–48U)."`
	Feeds   *feedPart `yaml:"feeds" doc:"Circuits that end at each rack."`
}

type feedPart struct {
	origin
	Sides   names    `yaml:"sides" doc:"One circuit from each side; those of the level above where they are not stated." example:"[A, B]"`
	From    names    `yaml:"from" doc:"Level that feeds the rack; the last distribution level where it is not stated."`
	Breaker Quantity `yaml:"breaker" unit:"current" above:"0" doc:"Rated current of one circuit; the level above limits it where it is not stated." example:"100 A"`
	Voltage Quantity `yaml:"voltage" unit:"voltage" above:"0" doc:"With its basis; that of the level above where it is not stated." example:"415 V L-L"`
	PF      Quantity `yaml:"pf" unit:"share" above:"0" doc:"Power factor of the servers behind it."`
	Derate  Quantity `yaml:"derate" unit:"share" above:"0" doc:"Share of the breaker that may be used continuously; that of the level above where it is not stated."`
}

type orderLine struct {
	origin
	Model  string     `yaml:"model" required:"true" doc:"A server of the catalogue." example:"dgx-h100"`
	Count  countOrMax `yaml:"count" default:"max" doc:"A number, or max: as many as fit." example:"max"`
	Cap    capValue   `yaml:"cap" doc:"Power cap at the cord of one server, in kW or as a share of nameplate; placement counts it." example:"70%"`
	GPUCap Quantity   `yaml:"gpu_cap" unit:"power" above:"0" doc:"Power cap of each GPU." example:"500 W"`
}
