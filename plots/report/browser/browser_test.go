// Package browser opens a report in a browser, as its reader does. It holds nothing but tests.
package browser

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"headroom/plots"
	"headroom/plots/document"
	"headroom/plots/internal/fixture"
	"headroom/plots/report"
	"headroom/sim"
)

// patience is what a loaded machine may take for all of it.
const patience = 2 * time.Minute

// browser returns the path of a Chromium. Without one the test is skipped, but not where everything must be tested.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if at, err := exec.LookPath(name); err == nil {
			return at
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no chromium on the PATH: the report is not looked at in a browser")
	}
	t.Skip("no chromium on the PATH: the report is not looked at in a browser")
	return ""
}

// write makes the page of a report of a hall with names of the worst kind, a part that is unknown, and two charts.
func write(t *testing.T) string {
	t.Helper()
	r := fixture.Result(fixture.Options{Racks: 30, PerRow: 12, Steps: 240, Scenario: `上海 <script>alert(1)</script> "x" אולם`})
	r.Energy.HumidificationKWh = sim.Num(math.NaN())
	r.Layout.Facility.Racks[3].ID = `"><img src=http://example.com/x onerror=alert(2)>`
	r.Jobs.ByClass[0].Class = "</td></table><script>alert(3)</script>"
	var figures []*document.Figure
	for i, c := range plots.Charts()[:2] {
		format := plots.Formats()[i] // png, svg
		figures = append(figures, report.Chart(c, "charts/"+c.File, format, func() ([]byte, error) {
			var b bytes.Buffer
			err := plots.Draw(c, r, format, &b)
			return b.Bytes(), err
		}))
	}
	d, err := report.Document(r, report.Options{Charts: figures})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := document.WriteHTML(&b, d); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(at, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(at)
}

// said gathers what a page should not do: errors on its console, requests, dialogs.
type said struct {
	mu  sync.Mutex
	all []string
}

func (s *said) add(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, fmt.Sprintf(format, args...))
}

func (s *said) listen(ctx context.Context, own string) {
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			s.add("console: %s", e.Type)
		case *runtime.EventExceptionThrown:
			s.add("exception: %s", e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			s.add("log, %s: %s", e.Entry.Level, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; u != own && !strings.HasPrefix(u, "data:") {
				s.add("request: %s", u)
			}
		case *page.EventJavascriptDialogOpening:
			s.add("dialog: %s", e.Message)
			go func() { _ = chromedp.Run(ctx, page.HandleJavaScriptDialog(true)) }()
		}
	})
}

// column reads the figures of a column of the table of that name, "" for unknown ones, rows and then sums.
func column(name string, col int, into *[]string) chromedp.Action {
	return chromedp.Evaluate(fmt.Sprintf(`Array.from(document.querySelector('table[aria-label="%s"]').rows).slice(1).map(r => r.cells[%d].dataset.v ?? r.cells[%d].textContent)`, name, col, col), into)
}

func floats(t *testing.T, cells []string) (known []float64, unknown int) {
	t.Helper()
	for i, c := range cells {
		if c == "" {
			unknown++
			continue
		}
		if unknown > 0 {
			t.Fatalf("a figure stands below an unknown one: %q", cells)
		}
		v, err := strconv.ParseFloat(c, 64)
		if err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
		known = append(known, v)
	}
	return known, unknown
}

func TestReportInABrowser(t *testing.T) {
	at := browser(t)
	url := write(t)
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(at), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WindowSize(1300, 900), chromedp.WSURLReadTimeout(patience))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	var s said
	s.listen(ctx, url)

	const table, power = "energy by part", `table[aria-label="energy by part"] thead th:nth-child(2) button`
	var title, lang, sorted string
	var before, up, down, back, wide []string
	var scripts, images int
	var pdf []byte
	if err := chromedp.Run(
		ctx, network.Enable(), log.Enable(), runtime.Enable(),
		chromedp.Navigate(url),
		chromedp.Title(&title),
		chromedp.Evaluate(`document.documentElement.lang`, &lang),
		chromedp.Evaluate(`document.scripts.length`, &scripts),
		chromedp.Evaluate(`Array.from(document.images).filter(i => i.complete && i.naturalWidth >= 400).length`, &images),
		column(table, 1, &before),
		chromedp.Click(power, chromedp.ByQuery),
		column(table, 1, &up),
		chromedp.AttributeValue(`table[aria-label="energy by part"] thead th:nth-child(2)`, "aria-sort", &sorted, nil, chromedp.ByQuery),
		chromedp.Focus(power, chromedp.ByQuery),
		chromedp.KeyEvent(kb.Enter),
		column(table, 1, &down),
		chromedp.KeyEvent(" "),
		column(table, 1, &back),
		// Tables that are wider than a narrow window are scrolled in their own boxes.
		emulation.SetDeviceMetricsOverride(400, 800, 1, false),
		chromedp.Evaluate(`document.documentElement.scrollWidth > window.innerWidth + 1 ? Array.from(document.querySelectorAll('main > *')).filter(e => e.getBoundingClientRect().right > 401).map(e => e.outerHTML.slice(0, 80)) : []`, &wide),
		emulation.ClearDeviceMetricsOverride(),
		chromedp.ActionFunc(func(ctx context.Context) (err error) {
			pdf, _, err = page.PrintToPDF().WithPreferCSSPageSize(true).Do(ctx)
			return err
		}),
	); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(title, "上海 <script>alert(1)</script>") || lang != "en" || scripts != 1 || images != 2 {
		t.Errorf("title %q, lang %q, %d scripts, %d pictures", title, lang, scripts, images)
	}
	const sums = 2
	n := len(before) - sums
	for _, got := range [][]string{up, down, back} {
		if len(got) != len(before) || !slices.Equal(got[n:], before[n:]) {
			t.Fatalf("the sums moved: %q, were %q", got, before)
		}
	}
	a, unknown := floats(t, up[:n])
	if !slices.IsSorted(a) || unknown != 1 || sorted != "ascending" {
		t.Errorf("after a click: %q (%s)", up, sorted)
	}
	d, unknown := floats(t, down[:n])
	slices.Reverse(d)
	if !slices.IsSorted(d) || unknown != 1 {
		t.Errorf("after a key: %q", down)
	}
	if slices.IsSorted(before[:n]) || !slices.Equal(back, before) {
		t.Errorf("after another key: %q, at first %q", back, before)
	}
	if len(wide) > 0 {
		t.Errorf("wider than a narrow window: %q", wide)
	}

	// A4 is 210 × 297 mm, 595 × 842 points.
	boxes := regexp.MustCompile(`/MediaBox ?\[0 0 ([0-9.]+) ([0-9.]+)\]`).FindAllSubmatch(pdf, -1)
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(boxes) < 3 || len(boxes) > 30 {
		t.Fatalf("%d bytes of PDF with %d pages", len(pdf), len(boxes))
	}
	for _, b := range boxes {
		w, _ := strconv.ParseFloat(string(b[1]), 64)
		h, _ := strconv.ParseFloat(string(b[2]), 64)
		if math.Abs(w-595.3) > 1 || math.Abs(h-841.9) > 1 {
			t.Errorf("a page of %g × %g points, want A4", w, h)
		}
	}

	// Without its script the page reads the same.
	var text string
	if err := chromedp.Run(
		ctx, emulation.SetScriptExecutionDisabled(true), chromedp.Reload(), chromedp.Text("main", &text, chromedp.ByQuery),
	); err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(text, "\u00a0", " ") // between figures and their units
	if !strings.Contains(text, "fit in 30 of 30 racks") || !strings.Contains(text, "sum of the known parts") {
		t.Errorf("without script: %.300q", text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.all {
		t.Error(x)
	}
}
