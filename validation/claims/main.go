// Command claims runs the embedded scenarios that put the market's claims to the test and writes docs/claims.md.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"headroom/facility/catalog"
)

// page is where the verdicts are written, from the root of the repository.
const page = "docs/claims.md"

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "claims: takes no arguments; run it in the root of the repository")
		return 2
	}
	text, err := write(ctx)
	if err == nil {
		err = os.WriteFile(page, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(stderr, "claims:", err)
		return 1
	}
	fmt.Fprintln(stdout, page)
	return 0
}

// write runs every claim and returns the page.
func write(ctx context.Context) ([]byte, error) {
	type judged struct {
		scenario string
		list     []judgement
	}
	var all []judged
	count := map[string]int{}
	for _, c := range claims {
		r, err := load(ctx, c.scenario)
		if err != nil {
			return nil, err
		}
		list := c.judge(r, catalog.Default())
		for _, j := range list {
			count[j.verdict]++
		}
		all = append(all, judged{c.scenario, list})
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `# Claims of the market, put to the test

Each claim has an embedded scenario that anyone can run (%[1]sheadroom run claim-server-power%[1]s, %[1]s--variant%[1]s for its variants) and a
verdict from those runs. This page is made by %[1]sgo run ./validation/claims%[1]s; a test fails when a run says otherwise.
%[2]d hold, %[3]d hold only under a condition, %[4]d do not hold. What the figures rest on is in docs/validation.md.

| claim | verdict | the number |
| --- | --- | --- |
`, "`", count[holds], count[onlyIf], count[not])
	for _, a := range all {
		for _, j := range a.list {
			fmt.Fprintf(&out, "| %s | **%s**%s | %s |\n", j.claim, j.verdict, j.condition(), j.number)
		}
	}
	for _, a := range all {
		for _, j := range a.list {
			fmt.Fprintf(&out, "\n## %s\n\n%s%s%s: %s. Scenario `%s`.\n\n- %s\n", j.claim, strings.ToUpper(j.verdict[:1]), j.verdict[1:], j.condition(), j.number, a.scenario, strings.Join(j.because, "\n- "))
		}
	}
	return out.Bytes(), nil
}
