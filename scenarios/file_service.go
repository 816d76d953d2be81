package scenarios

// requestPart is a trace of requests that drives a service; its file alone will do.
type requestPart struct {
	origin
	Trace   string             `yaml:"trace" required:"true" doc:"CSV file (plain or .gz) with a line for each request, from the scenario's folder; the columns of Azure's trace of 2023 and of Mooncake's are known." example:"AzureLLMInferenceTrace_conv.csv.gz"`
	Columns *requestColumnPart `yaml:"columns" doc:"Names of the file's columns where they are others."`
	Times   string             `yaml:"times" enum:"s,ms,us,dates" default:"s" doc:"Unit of times, where columns are named."`
	Rate    *float64           `yaml:"rate" min:"0.000001" max:"1e6" doc:"How many times as fast the requests come as they did." example:"20"`
	Window  *windowPart        `yaml:"window" doc:"Part of the trace that is used."`
	Span    Quantity           `yaml:"span" unit:"duration" above:"0" doc:"The trace is repeated until it is this long; once where it is not stated." example:"30 d"`
	Bad     string             `yaml:"bad" enum:"refuse,count" default:"refuse" doc:"What happens to lines that are no request: the file is refused, or they are left out, counted and listed as warnings."`
	Step    Quantity           `yaml:"step" unit:"duration" above:"0" default:"1 min" doc:"How often the replicas' speeds and number, and what servers draw, follow; in between requests are served one by one."`
}

type requestColumnPart struct {
	origin
	Time      string `yaml:"time" required:"true" doc:"Column of the time of the request." example:"TIMESTAMP"`
	Context   string `yaml:"context" required:"true" doc:"Column of the tokens of its prompt." example:"ContextTokens"`
	Generated string `yaml:"generated" required:"true" doc:"Column of the tokens of its answer." example:"GeneratedTokens"`
}

func (v *requestPart) decode(d *decoder, n *node, path string) { decodeShort(d, v, n, path, "trace") }
func (v *requestPart) encode() *node                           { return encodeStruct(v) }

func (v *requestPart) schema() map[string]any {
	return shortSchema(v, map[string]any{"type": "string", "examples": []any{"requests.csv.gz"}})
}

// scalePart is how the number of replicas follows the load.
type scalePart struct {
	origin
	Min   int      `yaml:"min" required:"true" min:"1" max:"1000000" doc:"Fewest replicas, and how many there are at the start; gpus has room for the most." example:"2"`
	Spare Quantity `yaml:"spare" unit:"share" default:"20%" doc:"Share of the replicas' capacity that is kept free."`
	Start Quantity `yaml:"start" unit:"duration" default:"2 min" doc:"From its GPUs to a replica's first request: reading weights, warming up (70 GB at about 1 GB/s and a warm-up, assumed)."`
	Hold  Quantity `yaml:"hold" unit:"duration" default:"5 min" doc:"A replica goes when none of this time would have needed it (5 min is Kubernetes' default for scaling down)."`
}
