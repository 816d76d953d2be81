package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"headroom/facility"
	"headroom/facility/catalog"
	"headroom/scenarios/netbox"
)

var importCommand = command{
	name:  "import",
	args:  "netbox DIR|FILE...",
	short: "a hall as NetBox knows it, with what stands in it, as a scenario",
	long: `Reads what NetBox exports (racks, devices, device types, power ports, outlets, panels and feeds, rack reservations; CSV
or JSON, one kind a file or all in one) and writes a scenario: rows of racks with their circuits, what stands in them
as reserved units and watts. What is not known stays unknown; what is assumed, what is not used and how many draws are
known is said on stderr, with file and line. Then: headroom plan scenario.yaml`,
	exits: []int{exitDone, exitFailed, exitUsage, exitInterrupted},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		var o importOptions
		flags.StringVarP(&o.out, "out", "o", "", "write the scenario to `FILE`; stdout without it")
		flags.StringVar(&o.netbox.Model, "model", "dgx-h100", "`SERVER` of the catalogue that is to be placed")
		flags.StringVar(&o.netbox.Name, "name", "", "`NAME` of the scenario; the site's without it")
		flags.StringVar(&o.netbox.Site, "site", "", "only racks of `SITE`")
		flags.StringVar(&o.netbox.Location, "location", "", "only racks of `LOCATION`")
		flags.StringVar(&o.netbox.Voltage, "voltage", "", "`BASIS` of three-phase feeds, L-L or L-N; told by the voltage without it")
		flags.StringVar(&o.netbox.Climate, "climate", "", "`CLIMATE` of the catalogue where the hall stands")
		return func(ctx context.Context, t *terminal, args []string) error { return runImport(ctx, t, &o, args) }
	},
}

type importOptions struct {
	out    string
	netbox netbox.Options
}

func runImport(ctx context.Context, t *terminal, o *importOptions, args []string) error {
	if len(args) < 2 || args[0] != "netbox" {
		return usageError{text: "want import netbox and the files or the folder of an export", hint: "headroom import netbox export/ -o scenario.yaml"}
	}
	m, err := facility.NewModel(catalog.Default(), o.netbox.Model)
	if err != nil {
		return usageError{text: "--model: " + err.Error()}
	}
	o.netbox.ServerU = m.HeightU
	files, err := exported(args[1:])
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := netbox.Convert(files, o.netbox)
	if err != nil {
		return usageError{text: err.Error()}
	}
	if o.out == "" {
		if _, err := t.stdout.Write(r.Scenario); err != nil {
			return err
		}
	} else if err := writeWhole(o.out, r.Scenario); err != nil {
		return usageError{text: "--out: " + err.Error()}
	}
	for _, p := range r.Problems {
		t.note("%s", p)
	}
	for _, a := range r.Assumed {
		t.note("assumed: %s", a)
	}
	t.note("%s", importSummary(r))
	return nil
}

// importSummary says how much of the export the scenario holds.
func importSummary(r *netbox.Result) string {
	n := &r.Counts
	s := fmt.Sprintf("%d of %d racks, %d of %d feeds; %d devices: draw known of %d (%d allocated, %d maximum), unknown of %d",
		n.RacksUsed, n.Racks, n.FeedsUsed, n.Feeds, n.Devices, n.Allocated+n.Maximum, n.Allocated, n.Maximum, n.Unknown)
	if c := n.Coverage(); !math.IsNaN(c) {
		s += fmt.Sprintf(", coverage %.0f%%", math.Floor(100*c))
	}
	if k := n.Passive + n.Distribution; k > 0 {
		s += fmt.Sprintf("; %d draw nothing themselves", k)
	}
	if n.Unracked > 0 {
		s += fmt.Sprintf("; %d in no rack", n.Unracked)
	}
	return s + fmt.Sprintf("; %.1f kW stand there by what is known; %d lines above say what is not used or not known", n.KnownW/1000, len(r.Problems))
}

// exported reads the files of an export; of a folder, those that end in .csv or .json.
func exported(names []string) ([]netbox.File, error) {
	var files []netbox.File
	add := func(name string) error {
		f, err := os.Open(name)
		if err != nil {
			return usageError{text: err.Error()}
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, maxExportBytes+1))
		switch {
		case err != nil:
			return usageError{text: err.Error()}
		case len(data) > maxExportBytes:
			return usageError{text: fmt.Sprintf("%s: larger than %d MB", name, maxExportBytes>>20)}
		}
		files = append(files, netbox.File{Name: name, Data: data})
		return nil
	}
	for _, name := range names {
		entries, err := os.ReadDir(name)
		if err != nil {
			if err := add(name); err != nil {
				return nil, err
			}
			continue
		}
		found := false
		for _, e := range entries { // by name
			if ext := strings.ToLower(filepath.Ext(e.Name())); !e.IsDir() && (ext == ".csv" || ext == ".json") {
				found = true
				if err := add(filepath.Join(name, e.Name())); err != nil {
					return nil, err
				}
			}
		}
		if !found {
			return nil, usageError{text: name + ": no .csv or .json file in it"}
		}
	}
	return files, nil
}

// maxExportBytes bounds one exported file.
const maxExportBytes = 256 << 20

// writeWhole writes a file whole or not at all.
func writeWhole(name string, data []byte) error {
	draft := filepath.Join(filepath.Dir(name), ".headroom-"+filepath.Base(name))
	if err := os.WriteFile(draft, data, 0o644); err != nil {
		return errors.Join(err, os.RemoveAll(draft))
	}
	if err := os.Rename(draft, name); err != nil {
		return errors.Join(err, os.Remove(draft))
	}
	return nil
}
