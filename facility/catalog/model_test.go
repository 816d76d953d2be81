package catalog

import (
	"slices"
	"strings"
	"testing"
)

func TestHoldsModelsAndLinks(t *testing.T) {
	c := Default()
	for kind, names := range map[string]string{
		"models": "llama-2-70b llama-3-8b llama-3-70b llama-3-405b mixtral-8x7b deepseek-v3 qwen2.5-72b qwen3-235b gpt-oss-120b gpt-3-175b",
		"links": `nvlink-2 nvlink-3 nvlink-4 nvlink-5 nvlink-bridge infinity-fabric pcie-3 pcie-4 pcie-5
			ethernet-25 roce-25 roce-100 roce-200 roce-400 infiniband-100 infiniband-200 infiniband-400 infiniband-800`,
	} {
		have := c.Names(kind)
		for _, name := range strings.Fields(names) {
			if !slices.Contains(have, name) {
				t.Errorf("no %s among %s", name, kind)
			}
		}
	}
	m, err := c.LanguageModel("llama-3-405b")
	if err != nil {
		t.Fatal(err)
	}
	if m.Layers.Value != 126 || m.Hidden.Value != 16384 || m.Active.Known() || m.Experts.Known() {
		t.Errorf("%+v", m)
	}
	l, err := c.Link("roce-400")
	if err != nil {
		t.Fatal(err)
	}
	if l.EachWay.Value != 50 || l.Place != "outside" {
		t.Errorf("%+v", l)
	}
}

func TestModelAndLinkRefusals(t *testing.T) {
	const whole = "parameters: 1e9, layers: 10, hidden: 1024, heads: 16, kv-heads: 4, head-dim: 64"
	for _, r := range []struct{ text, want string }{
		{"models: {m: {" + whole + "}}", ""},
		{"models: {m: {parameters: 1e9, layers: 10}}", "all needed"},
		{"models: {m: {" + whole + ", active: 2e9}}", "active is more"},
		{"models: {m: {" + whole + ", experts: 8}}", "go together"},
		{"models: {m: {" + strings.Replace(whole, "kv-heads: 4", "kv-heads: 32", 1) + "}}", "kv-heads are more"},
		{"models: {m: {" + strings.Replace(whole, "layers: 10", "layers: 10.5", 1) + "}}", "whole number"},
		{"links: {l: {place: outside, each-way: 400 Gb/s, efficiency: 90%, latency: 0.01 ms}}", ""},
		{"links: {l: {place: beside, each-way: 400 Gb/s, efficiency: 90%, latency: 0.01 ms}}", "none of inside, outside"},
		{"links: {l: {place: outside, each-way: 400 Gb/s}}", "all needed"},
	} {
		_, err := Default().Add("own.yaml", strings.NewReader(r.text))
		if (err == nil) != (r.want == "") || err != nil && !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s: %v, want %q", r.text, err, r.want)
		}
	}
}
