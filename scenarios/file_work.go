package scenarios

type classLine struct {
	origin
	Name        string      `yaml:"name" required:"true" doc:"Name of the class, unique in the file." example:"pretrain"`
	Kind        string      `yaml:"kind" required:"true" enum:"training,fine-tuning,inference,batch" doc:"Kind of work; it sets how strongly clocks slow it."`
	Model       *modelPart  `yaml:"model" doc:"Language model that it trains or serves; with it tokens are counted." example:"llama-3-70b"`
	GPUs        sizeMix     `yaml:"gpus" required:"true" doc:"GPUs of a job: one number, or sizes with their weights. Of inference: GPUs of all replicas together." example:"{64: 3, 128: 1}"`
	Replica     *int        `yaml:"replica" min:"1" max:"100000" doc:"GPUs of one replica of a service; 8, or all of its GPUs where it has fewer." example:"8"`
	Arrivals    Quantity    `yaml:"arrivals" unit:"rate" above:"0" doc:"Mean arrival rate of jobs (Poisson)." example:"2/day"`
	Length      *lengthPart `yaml:"length" doc:"Run time of a job at full clock on its GPUs, log-normal." example:"{median: 20 h, p95: 5 d}"`
	Load        profile     `yaml:"load" doc:"Share of peak load of a service: constant, diurnal, or 24 or 168 shares by hour (Monday 00:00 first)." example:"diurnal"`
	Activity    Quantity    `yaml:"activity" unit:"share" doc:"How hard a busy GPU works; by kind where it is not stated."`
	MemoryBound Quantity    `yaml:"memory_bound" unit:"share" doc:"Share of the work that clocks do not slow; by kind where it is not stated."`
	Checkpoint  *checkPart  `yaml:"checkpoint" doc:"Checkpoints of a training job." example:"30 min"`
	Restart     *bool       `yaml:"restart" doc:"A job that loses a server is queued again; the default is true."`
}

type traceLine struct {
	origin
	Name        string      `yaml:"name" required:"true" doc:"Name of the trace, unique among classes and traces." example:"philly"`
	Trace       string      `yaml:"trace" required:"true" doc:"CSV or SWF file (plain or .gz), from the scenario's folder." example:"jobs.csv"`
	Kind        string      `yaml:"kind" enum:"training,fine-tuning,inference,batch" default:"training" doc:"Kind of work of its jobs."`
	Columns     *columnPart `yaml:"columns" doc:"Names of the file's columns where they differ from arrival_s, num_gpus and duration_s."`
	Filter      textMap     `yaml:"filter" doc:"Only rows whose column has this text." example:"{vc: 0e4a51}"`
	VC          string      `yaml:"vc" doc:"Short for filter: {vc: …}." example:"0e4a51"`
	Window      *windowPart `yaml:"window" doc:"Part of the trace that is replayed."`
	Activity    Quantity    `yaml:"activity" unit:"share" doc:"How hard a busy GPU works; by kind where it is not stated."`
	MemoryBound Quantity    `yaml:"memory_bound" unit:"share" doc:"Share of the work that clocks do not slow; by kind where it is not stated."`
	Checkpoint  *checkPart  `yaml:"checkpoint" doc:"Checkpoints of its jobs."`
	Restart     *bool       `yaml:"restart" doc:"A job that loses a server is queued again; the default is true."`
}

type columnPart struct {
	origin
	Arrival  string `yaml:"arrival" doc:"Column of the arrival time." example:"submit_time"`
	GPUs     string `yaml:"gpus" doc:"Column of the number of GPUs." example:"gpu_num"`
	Duration string `yaml:"duration" doc:"Column of the run time." example:"duration"`
}

type windowPart struct {
	origin
	From   Quantity `yaml:"from" unit:"duration" default:"0 s" doc:"Start, after the first row; it becomes the start of the run."`
	Length Quantity `yaml:"length" unit:"duration" above:"0" doc:"How much of the trace; to its end where it is not stated."`
}
