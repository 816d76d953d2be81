package scenarios

import "reflect"

// modelPart is the language model that a class trains or serves; its name alone will do.
type modelPart struct {
	origin
	Name       string   `yaml:"name" required:"true" doc:"Language model of the catalogue (headroom catalog models)." example:"llama-3-70b"`
	Precision  string   `yaml:"precision" enum:"bf16,fp8,fp4" doc:"Number format of the products; training bf16, serving fp8 where the GPU has it and else bf16, where it is not stated."`
	Method     string   `yaml:"method" enum:"full,adapters" doc:"Of training: all weights, or small adapters beside them (LoRA); adapters for fine-tuning, full for training."`
	Sequence   int      `yaml:"sequence" min:"1" max:"10000000" default:"8192" doc:"Of training: tokens of a sequence; the model's longest where that is shorter."`
	Batch      int      `yaml:"batch" min:"1" max:"1000000000" default:"4194304" doc:"Of training: tokens of one step over the whole job."`
	Feed       float64  `yaml:"feed" min:"0" doc:"Of training: most tokens per second that storage and hosts feed a job; no limit where it is not stated." example:"2000000"`
	Input      float64  `yaml:"input" min:"1" max:"10000000" default:"1155" doc:"Of serving: mean tokens of a prompt (1,155 in the Azure conversation trace of 2023)."`
	Output     float64  `yaml:"output" min:"1" max:"10000000" default:"211" doc:"Of serving: mean tokens of an answer (211 in the same trace)."`
	Spread     float64  `yaml:"spread" min:"0" max:"100" default:"1" doc:"Of serving: standard deviation of prompts over their mean."`
	FirstToken Quantity `yaml:"first_token" unit:"duration" above:"0" default:"2 s" doc:"Of a service: goal for the 99th percentile of time to first token (2 s in MLPerf Inference, llama2-70b)."`
	PerToken   Quantity `yaml:"per_token" unit:"duration" above:"0" default:"200 ms" doc:"Of a service: goal for the 99th percentile of time per output token (200 ms in MLPerf Inference, llama2-70b)."`
}

func (v *modelPart) decode(d *decoder, n *node, path string) { decodeShort(d, v, n, path, "name") }
func (v *modelPart) encode() *node                           { return encodeStruct(v) }

func (v *modelPart) schema() map[string]any {
	return shortSchema(v, map[string]any{"type": "string", "examples": []any{"llama-3-70b"}})
}

// netPart is how servers meet; the name of its ports' link alone will do.
type netPart struct {
	origin
	Link             string  `yaml:"link" required:"true" doc:"Link of one port (headroom catalog links, those outside a server)." example:"infiniband-400"`
	Ports            *int    `yaml:"ports" min:"1" max:"1000" doc:"Ports of a server; one for every GPU where it is not stated." example:"8"`
	Oversubscription float64 `yaml:"oversubscription" min:"1" max:"1000" default:"1" doc:"Ports below a leaf switch over ports above it."`
	Rails            *bool   `yaml:"rails" doc:"Port k of every server of a group meets at leaf k (rail-optimized); true where a server has a port for every GPU." example:"true"`
	Leaf             int     `yaml:"leaf" min:"1" max:"10000" default:"4" doc:"Servers that meet at one leaf switch, were all ports of a server on it."`
	Inside           string  `yaml:"inside" doc:"Link between the GPUs of a server in place of the one their catalogue entry names." example:"pcie-5"`
}

// portsOf is how many ports a server of so many GPUs has, and railsOf whether they are rails.
func (v *netPart) portsOf(gpus int) int {
	if v.Ports != nil {
		return *v.Ports
	}
	return gpus
}

func (v *netPart) railsOf(gpus int) bool {
	if v.Rails != nil {
		return *v.Rails
	}
	return v.portsOf(gpus) >= gpus
}

func (v *netPart) decode(d *decoder, n *node, path string) { decodeShort(d, v, n, path, "link") }

func (v *netPart) encode() *node { return encodeSection(reflect.ValueOf(v).Elem()) }

func (v *netPart) schema() map[string]any {
	return shortSchema(v, map[string]any{"type": "string", "examples": []any{"infiniband-400"}})
}
