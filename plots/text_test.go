package plots

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/encoding/simplifiedchinese"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"

	"headroom/plots/internal/fixture"

	"headroom/plots/lang"
)

// Every Han of GB 2312 (6,763 of levels 1 and 2) and everything the charts themselves write has a glyph.
func TestEveryRuneOfGB2312IsDrawn(t *testing.T) {
	han, missing := 0, []rune{}
	dec := simplifiedchinese.GBK.NewDecoder()
	for hi := 0xA1; hi <= 0xF7; hi++ {
		for lo := 0xA1; lo <= 0xFE; lo++ {
			b, err := dec.Bytes([]byte{byte(hi), byte(lo)})
			if err != nil {
				continue
			}
			r := []rune(string(b))[0]
			if r == unicode.ReplacementChar || !unicode.Is(unicode.Han, r) || hi < 0xB0 {
				continue
			}
			han++
			if g := lookup(false, r); g.index == 0 {
				missing = append(missing, r)
			}
		}
	}
	if han != 6763 || len(missing) > 0 {
		t.Errorf("%d Han, of which %d have no glyph: %.20q", han, len(missing), string(missing))
	}
	own := "°·×−–…₂³≤≥→✓✗□ÄÖÜäöüßéñçΩμΔЖя、。，：；？！（）「」《》あいうアイウ東京臺灣€¥％"
	if r := missingRunes(own); len(r) > 0 {
		t.Errorf("no glyph for %q", string(r))
	}
}

// What no font has is a visible box, named on the chart and to the caller.
func TestMissingRunesAreSaidAloud(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 24, Scenario: "hall 😀 مركز", Variant: "서울"})
	warnings := Missing(r)
	if len(warnings) != 2 || !strings.Contains(warnings[0], "U+1F600") || !strings.Contains(warnings[0], "U+0645") || !strings.Contains(warnings[1], "U+C11C") {
		t.Errorf("warnings: %q", warnings)
	}
	for _, c := range Charts() {
		p, _ := drawn(c.build(r), "png")
		said := false
		for _, d := range p.drawn {
			said = said || strings.HasPrefix(d.s, "□: drawn as a box") && strings.Contains(d.s, "U+1F600")
		}
		if !said {
			t.Errorf("%s does not name its boxes", c.Name)
		}
		check(t, c.Name, c.build(r))
	}
	if w := Missing(fixture.Result(fixture.Options{Steps: 24, Scenario: "上海一号机房 48 kW 风冷 ✓"})); w != nil {
		t.Errorf("warnings for a name that can be drawn: %q", w)
	}
	// A rack's name is checked too, and boxes in racks are named though no title has any.
	r = fixture.Result(fixture.Options{Steps: 24})
	r.Layout.Facility.Racks[2].ID = "A😀"
	if w := Missing(r); len(w) != 1 || !strings.Contains(w[0], "U+1F600") {
		t.Errorf("warnings: %q", w)
	}
	check(t, "fit", fitFigure(r))
}

// Chinese reaches the pixels: two names of as many runes, at the same place, do not look the same.
func TestChineseInkIsThere(t *testing.T) {
	ink := func(name string) []byte {
		return render(t, Charts()[0], fixture.Result(fixture.Options{Steps: 24, Scenario: name}), "png")
	}
	if bytes.Equal(ink("上海一号机房风冷"), ink("北京二号机房液冷")) {
		t.Error("two Chinese names look the same")
	}
	if !bytes.Equal(ink("\U0001F600"), ink("\U0001F600")) {
		t.Error("two drawings differ")
	}
}

func TestFitAndWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		w := vg.Length(rapid.Float64Range(20, 400).Draw(t, "w"))
		n := rapid.IntRange(1, 4).Draw(t, "n")
		if got := fit(s, sizeTick, false, w); textWidth(got, sizeTick, false) > w+0.01 {
			t.Fatalf("%q is wider than %v", got, w)
		}
		lines := wrap(s, sizeTick, false, w, n)
		if len(lines) > n {
			t.Fatalf("%d lines of %d", len(lines), n)
		}
		for _, l := range lines {
			if textWidth(l, sizeTick, false) > w+0.01 {
				t.Fatalf("line %q is wider than %v", l, w)
			}
		}
		// Nothing is lost unless an ellipsis says so.
		flat := strings.Join(lines, "")
		if !strings.Contains(flat, "…") && strings.ReplaceAll(flat, " ", "") != strings.ReplaceAll(clean(s), " ", "") {
			t.Fatalf("%q became %q", s, lines)
		}
	})
}

// Everything that charts say in Chinese can be drawn.
func TestChineseIsDrawn(t *testing.T) {
	for _, m := range lang.Messages() {
		if r := missingRunes(m[1]); len(r) > 0 {
			t.Errorf("%q: no font has %q", m[1], string(r))
		}
	}
}
