package scenarios

import (
	"strings"
	"testing"

	"headroom/sim"
)

const netText = hall + `network: {link: infiniband-400, leaf: 2}
failures:
  parts: [{part: network.leaves, mtbf: 200000 h, repair: 6 h, p95: 2 d, spares: 2}]
  events:
    - {at: 2026-03-01 02:00, lose: "network.leaves[9]", for: 4 h, planned: true}
    - {at: 2026-04-01 02:00, lose: network, for: 5 min}
`

// Switches are lost by path, at a rate, and in planned windows; rails hang a server on as many as it has ports.
func TestNetworkFailuresAreConfigured(t *testing.T) {
	_, c := configured(t, netText, Options{})
	f := &c.Failures
	if f.Net != (sim.Net{Servers: 16, Switches: 8}) {
		t.Errorf("rails: %+v", f.Net)
	}
	p := f.Parts[0]
	if p.Part != sim.NetLeaf || p.Units < 8 || p.Units%8 != 0 || p.Spares != 2 || p.SwapS != 7200 || p.RatePerS != 1/(200000*3600.) || p.P95S != 2*86400 {
		t.Errorf("part %+v", p)
	}
	if e := f.Events[0]; e.Part != sim.NetLeaf || e.Index != 9 || e.Units != 1 || !e.Planned {
		t.Errorf("event %+v", e)
	}
	if e := f.Events[1]; e.Part != sim.NetLeaf || e.Index != 0 || e.Units != p.Units {
		t.Errorf("event %+v", e)
	}
	if _, c := configured(t, netText, Options{Set: []string{"network.rails=false", "failures.events[0].lose=network.leaves[0]"}}); c.Failures.Net != (sim.Net{Servers: 2, Switches: 1}) {
		t.Errorf("no rails: %+v", c.Failures.Net)
	}
}

func TestBadNetworkFailuresAreTold(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"failures.events[0].lose=network.spines[0]", "want network.leaves[place]"},
		{"failures.events[0].lose=network.leaves[x]", "no such unit"},
		{"failures.parts[0].spares=-1", "want at least 0"},
		{"network=null", "no network section"},
	} {
		s, err := Load("n.yaml", []byte(netText), Options{Set: []string{c.set}})
		if err == nil {
			_, err = s.Configure(nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant %s", c.set, err, c.want)
		}
	}
}
