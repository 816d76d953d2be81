package scenarios

// schedPart is how the queue is run.
type schedPart struct {
	origin
	Order       orderWord    `yaml:"order" doc:"Who is next; fifo where it is not stated."`
	Backfill    string       `yaml:"backfill" enum:"none,easy,conservative" default:"none" doc:"Whether jobs behind one that waits for its GPUs may start: those that don't delay it (easy), or that delay none before them (conservative)."`
	Depth       *int         `yaml:"depth" min:"1" max:"100000" doc:"How many waiting jobs backfill looks at; 100 where it is not stated." example:"100"`
	Placement   placeWord    `yaml:"placement" doc:"Which servers and GPUs a job gets; best-fit where it is not stated."`
	Preempt     bool         `yaml:"preempt" doc:"Waiting jobs take the GPUs of running spot jobs of lower priority."`
	GangTimeout Quantity     `yaml:"gang_timeout" unit:"duration" min:"1" doc:"How long the queue waits for all GPUs of its first job; then that job goes to the end. For ever where it is not stated." example:"2 h"`
	Tenants     []tenantLine `yaml:"tenants" doc:"Who asks for GPUs, with weights and quotas."`
	Shift       *shiftPart   `yaml:"shift" doc:"Moves deferrable jobs (defer) to better hours."`
}

type tenantLine struct {
	origin
	Name   string   `yaml:"name" required:"true" doc:"Name, as classes and the tenant column of traces have it." example:"research"`
	Weight *float64 `yaml:"weight" min:"0.000001" max:"1e9" doc:"Weight of its fair share; 1 where it is not stated." example:"2"`
	Quota  *float64 `yaml:"quota" min:"0.001" max:"1e9" doc:"Most GPUs it may hold at once; no limit where it is not stated." example:"64"`
}

type shiftPart struct {
	origin
	By    string  `yaml:"by" required:"true" enum:"price,carbon,heat" doc:"What a good hour is low in; heat is the outdoor dry bulb." example:"price"`
	Hours profile `yaml:"hours" doc:"Price or carbon by hour as shares of the highest: 24 or 168 (Monday 00:00 first); what money states by the hour where it is not stated. Not for heat."`
}

// burstPart is arrivals that come in bursts.
type burstPart struct {
	origin
	Ratio  *float64 `yaml:"ratio" required:"true" min:"1" max:"1e6" doc:"How many times as fast jobs arrive in a burst as between bursts." example:"10"`
	Share  Quantity `yaml:"share" unit:"share" required:"true" above:"0" doc:"Share of time in bursts." example:"10%"`
	Length Quantity `yaml:"length" unit:"duration" required:"true" above:"0" doc:"Mean length of a burst." example:"20 min"`
}
