package scenarios

type classLine struct {
	origin
	Name        string       `yaml:"name" required:"true" doc:"Name of the class, unique in the file." example:"pretrain"`
	Kind        string       `yaml:"kind" required:"true" enum:"training,fine-tuning,inference,batch" doc:"Kind of work; it sets how strongly clocks slow it."`
	Model       *modelPart   `yaml:"model" doc:"Language model that it trains or serves; with it tokens are counted." example:"llama-3-70b"`
	Like        string       `yaml:"like" doc:"Sizes and lengths of a public trace's jobs, where gpus and length are not stated (headroom catalog workload)." example:"philly"`
	GPUs        sizeMix      `yaml:"gpus" doc:"GPUs of a job: one number, or sizes with their weights. Of inference: GPUs of all replicas together. Required unless like is stated." example:"{64: 3, 128: 1}"`
	Share       Quantity     `yaml:"share" unit:"share" above:"0" doc:"Share of its GPU that a job of one GPU takes; all of it where it is not stated." example:"25%"`
	Slice       string       `yaml:"slice" doc:"Multi-instance (MIG) profile that is cut out of a GPU for each job of one GPU, or for each replica; headroom catalog gpus lists what GPUs can be cut into." example:"1g.10gb"`
	On          names        `yaml:"on" doc:"Models of server, or GPUs, that will do; any where it is not stated." example:"[dgx-h100]"`
	Replica     *int         `yaml:"replica" min:"1" max:"100000" doc:"GPUs of one replica of a service; 8, or all of its GPUs where it has fewer." example:"8"`
	Arrivals    Quantity     `yaml:"arrivals" unit:"rate" above:"0" doc:"Mean arrival rate of jobs (Poisson)." example:"2/day"`
	Rhythm      profile      `yaml:"rhythm" doc:"How the arrival rate goes over the week: constant, diurnal, or 24 or 168 shares of the highest by hour; its mean stays the rate of arrivals." example:"diurnal"`
	Burst       *burstPart   `yaml:"burst" doc:"Arrivals in bursts (a Markov-modulated Poisson process of two states); their mean stays the rate of arrivals."`
	Length      *lengthPart  `yaml:"length" doc:"Run time of a job at full clock on its GPUs, log-normal." example:"{median: 20 h, p95: 5 d}"`
	Load        profile      `yaml:"load" doc:"Share of peak load of a service: constant, diurnal, or 24 or 168 shares by hour (Monday 00:00 first)." example:"diurnal"`
	Requests    *requestPart `yaml:"requests" doc:"Trace of requests that a service's replicas serve one by one; load then is the share of them that comes by the hour." example:"requests.csv.gz"`
	Scale       *scalePart   `yaml:"scale" doc:"Replicas of a service start and stop with its load; all of them run where it is not stated." example:"{min: 2}"`
	Activity    Quantity     `yaml:"activity" unit:"share" doc:"How hard a busy GPU works; by kind where it is not stated."`
	MemoryBound Quantity     `yaml:"memory_bound" unit:"share" doc:"Share of the work that clocks do not slow; by kind where it is not stated."`
	Checkpoint  *checkPart   `yaml:"checkpoint" doc:"Checkpoints of a training job." example:"30 min"`
	Restart     *bool        `yaml:"restart" doc:"A job that loses a server is queued again; the default is true." example:"false"`
	Tenant      string       `yaml:"tenant" doc:"Who asks, for fair shares and quotas." example:"research"`
	Priority    *int         `yaml:"priority" min:"-1000000" max:"1000000" doc:"Higher goes first under the order priority; 0 where it is not stated." example:"10"`
	Spot        string       `yaml:"spot" enum:"checkpoint,lose,kill" doc:"Its running jobs may be preempted: they save their work first, go back to their last checkpoint, or are gone."`
	Defer       Quantity     `yaml:"defer" unit:"duration" above:"0" doc:"How long a job may be held back for a better hour (scheduling.shift)." example:"12 h"`
}

type traceLine struct {
	origin
	Name        string      `yaml:"name" required:"true" doc:"Name of the trace, unique among classes and traces." example:"philly"`
	Trace       string      `yaml:"trace" required:"true" doc:"CSV or SWF file (plain or .gz), from the scenario's folder." example:"jobs.csv"`
	Kind        string      `yaml:"kind" enum:"training,fine-tuning,inference,batch" default:"training" doc:"Kind of work of its jobs."`
	Columns     *columnPart `yaml:"columns" doc:"Names of the file's columns where they differ from arrival_s, num_gpus and duration_s."`
	Filter      textMap     `yaml:"filter" doc:"Only rows whose column has this text." example:"{vc: 0e4a51}"`
	Format      string      `yaml:"format" enum:"auto,alibaba-gpu-2023,occupancy" default:"auto" doc:"What the file holds: jobs (CSV or SWF), the pods of the Alibaba GPU trace of 2023, or a series of busy GPUs."`
	Times       string      `yaml:"times" enum:"s,ms,us,dates" default:"s" doc:"Unit of times in a CSV file; dates are 2006-01-02 15:04:05."`
	Types       textMap     `yaml:"types" doc:"Which servers (model or GPU) the trace's GPU types stand for." example:"{V100M32: dgx-h100}"`
	Bad         string      `yaml:"bad" enum:"refuse,count" default:"refuse" doc:"What happens to lines that are no job: the file is refused, or they are left out, counted and listed as warnings."`
	Disorder    Quantity    `yaml:"disorder" unit:"duration" above:"0" doc:"How much earlier than the line above it a job may arrive; one that is earlier is bad. Any order will do where it is not stated."`
	Speed       *float64    `yaml:"speed" min:"0.001" max:"1000" doc:"How many times as fast the simulated GPU is as the one of the trace; run times are divided by it." example:"3.2"`
	Rate        *float64    `yaml:"rate" min:"0.001" max:"1000" doc:"How many times as fast the jobs arrive as they did." example:"2"`
	Size        *float64    `yaml:"size" min:"0.001" max:"1000" doc:"How many times as many GPUs a job asks for as it did, rounded, at least one." example:"2"`
	Span        Quantity    `yaml:"span" unit:"duration" above:"0" doc:"The trace is repeated until it is this long." example:"365 d"`
	Shuffle     bool        `yaml:"shuffle" doc:"Deals the jobs out among the times of arrival at random, anew in every round."`
	VC          string      `yaml:"vc" doc:"Short for filter: {vc: …}." example:"0e4a51"`
	Window      *windowPart `yaml:"window" doc:"Part of the trace that is replayed."`
	Activity    Quantity    `yaml:"activity" unit:"share" doc:"How hard a busy GPU works; by kind where it is not stated."`
	MemoryBound Quantity    `yaml:"memory_bound" unit:"share" doc:"Share of the work that clocks do not slow; by kind where it is not stated."`
	Checkpoint  *checkPart  `yaml:"checkpoint" doc:"Checkpoints of its jobs."`
	Restart     *bool       `yaml:"restart" doc:"A job that loses a server is queued again; the default is true." example:"false"`
	On          names       `yaml:"on" doc:"Models of server, or GPUs, that will do for jobs that name no type; any where it is not stated."`
	Tenant      string      `yaml:"tenant" doc:"Who asks, where the file has no column for it." example:"research"`
	Priority    *int        `yaml:"priority" min:"-1000000" max:"1000000" doc:"Priority of jobs, where the file has no column for it." example:"10"`
	Spot        string      `yaml:"spot" enum:"checkpoint,lose,kill" doc:"Its running jobs may be preempted, as in workload."`
	Defer       Quantity    `yaml:"defer" unit:"duration" above:"0" doc:"How long a job may be held back for a better hour (scheduling.shift)."`
}

type columnPart struct {
	origin
	Arrival  string `yaml:"arrival" doc:"Column of the arrival time." example:"submit_time"`
	GPUs     string `yaml:"gpus" doc:"Column of the number of GPUs." example:"gpu_num"`
	Duration string `yaml:"duration" doc:"Column of the run time." example:"duration"`
	Start    string `yaml:"start" doc:"Column of the start, where the run time goes from start to end; the arrival where it is not stated." example:"start_time"`
	End      string `yaml:"end" doc:"Column of the end; it stands for the run time." example:"end_time"`
	Share    string `yaml:"share" doc:"Column of the share of one GPU, in thousandths." example:"gpu_milli"`
	Types    string `yaml:"types" doc:"Column of the GPU types that will do, by |." example:"gpu_spec"`
	Tenant   string `yaml:"tenant" doc:"Column of who asks." example:"user"`
	Priority string `yaml:"priority" doc:"Column of the priority, a whole number." example:"priority"`
	Time     string `yaml:"time" doc:"Column of times in a series of busy GPUs; time where it is not stated." example:"timestamp"`
	Busy     string `yaml:"busy" doc:"Column of busy GPUs; running_gpu_num where it is not stated." example:"running_gpu_num"`
}

type windowPart struct {
	origin
	From   Quantity `yaml:"from" unit:"duration" default:"0 s" doc:"Start, after the first row; it becomes the start of the run."`
	Length Quantity `yaml:"length" unit:"duration" above:"0" doc:"How much of the trace; to its end where it is not stated."`
}
