package plots

import (
	_ "embed"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"headroom/plots/lang"
)

//go:embed fonts/DroidSansFallback-subset.ttf
var cjkTTF []byte

//go:embed fonts/DejaVuSans-symbols.ttf
var symbolsTTF []byte

// face is one parsed font; a zero unitsPerEm never occurs.
type face struct {
	name   string
	font   *opentype.Font
	perEm  float64
	weight xfont.Weight
}

// fontSet holds the fonts in the order in which they are asked for a rune.
type fontSet struct {
	regular, bold []face
}

var fonts = sync.OnceValue(func() fontSet {
	parse := func(name string, ttf []byte, w xfont.Weight) face {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic(fmt.Sprintf("plots: built-in font %s: %v", name, err))
		}
		return face{name: name, font: f, perEm: float64(f.UnitsPerEm()), weight: w}
	}
	cjk := parse("DroidFallback", cjkTTF, xfont.WeightNormal)
	symbols := parse("DejaVuSymbols", symbolsTTF, xfont.WeightNormal)
	return fontSet{
		regular: []face{parse("Liberation", liberationsansregular.TTF, xfont.WeightNormal), cjk, symbols},
		bold:    []face{parse("Liberation", liberationsansbold.TTF, xfont.WeightBold), cjk, symbols},
	}
})

// glyph is one rune with the font that has it; index 0 stands for none.
type glyph struct {
	r       rune
	face    int
	index   sfnt.GlyphIndex
	advance float64 // in em
}

// boxAdvance is the width in em of the box drawn for a rune that no font has.
const boxAdvance = 0.7

type glyphKey struct {
	bold bool
	r    rune
}

// glyphCache holds what each rune resolved to; a chart asks for the same hundred runes again and again.
var glyphCache sync.Map // glyphKey → glyph

func lookup(bold bool, r rune) glyph {
	key := glyphKey{bold, r}
	if g, ok := glyphCache.Load(key); ok {
		return g.(glyph)
	}
	g := glyph{r: r, advance: boxAdvance}
	if !rightToLeft(r) {
		faces := fonts().regular
		if bold {
			faces = fonts().bold
		}
		var buf sfnt.Buffer
		for i := range faces {
			idx, err := faces[i].font.GlyphIndex(&buf, r)
			if err != nil || idx == 0 {
				continue
			}
			adv, err := faces[i].font.GlyphAdvance(&buf, idx, fixed.Int26_6(faces[i].perEm), xfont.HintingNone)
			if err != nil {
				continue
			}
			g.face, g.index, g.advance = i, idx, float64(adv)/faces[i].perEm
			break
		}
	}
	glyphCache.Store(key, g)
	return g
}

// rightToLeft says whether a rune belongs to a script that needs right-to-left layout or shaping, which
// this package does not do: such text would be drawn in the wrong order, so it is refused instead.
func rightToLeft(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) ||
		unicode.Is(unicode.Bidi_Control, r)
}

// clean makes one line of a text: control characters and runs of spaces become one space, and text that
// is no UTF-8 keeps its replacement runes.
func clean(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// missingRunes returns the runes of s that no font has, each once, in order of appearance.
func missingRunes(s string) []rune {
	var out []rune
	for _, r := range clean(s) {
		if lookup(false, r).index == 0 && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// missingNote names the runes of s that no font has, "" when there are none.
func missingNote(s string) string {
	runes := missingRunes(s)
	if len(runes) == 0 {
		return ""
	}
	const most = 6
	var b strings.Builder
	for i, r := range runes {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(runes)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "U+%04X", r)
	}
	return "drawn as a box, for no built-in font has it: " + b.String()
}

// type style of one text: size, weight, colour, where its anchor lies and how it is turned.
type style struct {
	size   vg.Length
	bold   bool
	color  color.RGBA
	ax, ay float64 // anchor as a share of the text's box: 0 left or bottom, ½ centre, 1 right or top
	turn   float64 // radians, counter-clockwise
	halo   bool    // white behind it, so that lines under it do not run through
}

// textWidth returns the width of one line in the language in use, kerned as it is drawn.
func textWidth(s string, size vg.Length, bold bool) vg.Length {
	w := 0.0
	var prev glyph
	for _, r := range lang.T(s) {
		g := lookup(bold, r)
		w += g.advance + kern(bold, prev, g)
		prev = g
	}
	return vg.Length(w) * size
}

type kernKey struct {
	bold bool
	a, b sfnt.GlyphIndex
}

// kernCache holds the kerning of pairs of Liberation's glyphs, in em.
var kernCache sync.Map // kernKey → float64

// kern returns the kerning between two neighbours, in em. Only Liberation has any.
func kern(bold bool, a, b glyph) float64 {
	if a.index == 0 || b.index == 0 || a.face != 0 || b.face != 0 {
		return 0
	}
	key := kernKey{bold, a.index, b.index}
	if k, ok := kernCache.Load(key); ok {
		return k.(float64)
	}
	f := fonts().regular[0]
	if bold {
		f = fonts().bold[0]
	}
	k := 0.0
	if v, err := f.font.Kern(nil, a.index, b.index, fixed.Int26_6(f.perEm), xfont.HintingNone); err == nil {
		k = float64(v) / f.perEm
	}
	kernCache.Store(key, k)
	return k
}

// fit cuts a line with an ellipsis so that it is not wider than w.
func fit(s string, size vg.Length, bold bool, w vg.Length) string {
	s = lang.T(clean(s))
	if textWidth(s, size, bold) <= w {
		return s
	}
	left := w - textWidth("…", size, bold)
	for i, r := range s {
		left -= vg.Length(lookup(bold, r).advance) * size
		if left < 0 {
			return strings.TrimRight(s[:i], " ,;·") + "…"
		}
	}
	return s
}

// wrap breaks a text into lines not wider than w, at most n of them; the last is cut with an ellipsis.
// It breaks at spaces, and between any two runes of a word that is wider than a line (Chinese has no spaces).
func wrap(s string, size vg.Length, bold bool, w vg.Length, n int) []string {
	var lines []string
	rest := lang.T(clean(s))
	for rest != "" {
		if len(lines) == n-1 || textWidth(rest, size, bold) <= w {
			return append(lines, fit(rest, size, bold, w))
		}
		cut, space, used := len(rest), -1, vg.Length(0)
		for i, r := range rest {
			used += vg.Length(lookup(bold, r).advance) * size
			if used > w && i > 0 {
				cut = i
				break
			}
			if r == ' ' && i > 0 && !unicode.IsDigit(rune(rest[i-1])) { // a number stays with its unit
				space = i
			}
		}
		if space > 0 && cut < len(rest) && rest[cut] != ' ' {
			cut = space
		}
		lines = append(lines, strings.TrimRight(rest[:cut], " "))
		rest = strings.TrimLeft(rest[cut:], " ")
	}
	return lines
}

// Shares of the type size between the baseline and the top of a capital, and below the baseline.
const (
	capHeight = 0.72
	descent   = 0.21
)

// text draws one line. The anchor's vertical share counts from the descender to the top of a capital, so
// that centred text looks centred.
func (p *pen) text(x, y vg.Length, s string, st style) {
	if s == "" || st.size <= 0 {
		return
	}
	s = lang.T(s)
	for _, r := range missingRunes(s) {
		if !slices.Contains(p.missing, r) {
			p.missing = append(p.missing, r)
		}
	}
	dx := -vg.Length(st.ax) * textWidth(s, st.size, st.bold)
	var dy vg.Length
	switch {
	case st.ay == 0.5:
		dy = -capHeight / 2 * st.size
	default:
		dy = vg.Length(descent-st.ay*(capHeight+descent)) * st.size
	}
	p.drawn = append(p.drawn, drawnText{s: s, box: textBox(x, y, s, st)})
	if st.halo {
		p.rect(textBox(x, y, s, st), white)
	}
	p.c.SetColor(st.color)
	if st.turn != 0 {
		p.c.Push()
		defer p.c.Pop()
		p.c.Translate(vg.Point{X: x, Y: y})
		p.c.Rotate(st.turn)
		x, y = 0, 0
	}
	p.run(x+dx, y+dy, s, st)
}

// run draws a line from its baseline's left end, split where the font changes.
func (p *pen) run(x, y vg.Length, s string, st style) {
	faces := fonts().regular
	if st.bold {
		faces = fonts().bold
	}
	start, at, width := 0, x, vg.Length(0)
	kind := -1
	var prev glyph
	flush := func(end int) {
		if end > start {
			p.piece(at, y, s[start:end], st, faces, kind)
		}
		at += width
		start, width = end, 0
	}
	for i, r := range s {
		g := lookup(st.bold, r)
		k := p.kindOf(g, st.bold)
		if k != kind {
			flush(i)
			kind = k
		}
		width += vg.Length(g.advance+kern(st.bold, prev, g)) * st.size
		prev = g
	}
	flush(len(s))
}

// Kinds of piece besides "string in font i".
const (
	outlineKind = 100 // + font: glyph by glyph as filled outlines
	boxKind     = 1000
)

// kindOf says how a glyph is drawn. The PDF writer knows one byte a rune and keeps one font file a document, so
// there whatever is not ASCII in regular weight is drawn as outlines.
func (p *pen) kindOf(g glyph, bold bool) int {
	switch {
	case g.index == 0:
		return boxKind
	case p.format == "pdf" && (bold || g.face != 0 || g.r > unicode.MaxASCII):
		return outlineKind + g.face
	}
	return g.face
}

func (p *pen) piece(x, y vg.Length, s string, st style, faces []face, kind int) {
	switch {
	case kind == boxKind:
		p.boxes(x, y, s, st)
	case kind >= outlineKind:
		p.outlines(x, y, s, st, faces[kind-outlineKind])
	default:
		f := faces[kind]
		p.c.FillString(font.Face{
			Font: font.Font{Typeface: font.Typeface(f.name), Weight: f.weight, Size: st.size},
			Face: f.font,
		}, vg.Point{X: x, Y: y}, s)
		p.widths = append(p.widths, textWidth(s, st.size, st.bold))
	}
}

// boxes draws one empty box for each rune that no font has.
func (p *pen) boxes(x, y vg.Length, s string, st style) {
	p.c.SetLineWidth(st.size / 14)
	p.c.SetLineDash(nil, 0)
	for range s {
		const side = 0.06
		x0, x1 := x+side*st.size, x+(boxAdvance-side)*st.size
		y1 := y + capHeight*st.size
		var path vg.Path
		path.Move(vg.Point{X: x0, Y: y})
		path.Line(vg.Point{X: x1, Y: y})
		path.Line(vg.Point{X: x1, Y: y1})
		path.Line(vg.Point{X: x0, Y: y1})
		path.Close()
		p.c.Stroke(path)
		x += boxAdvance * st.size
	}
}

func (p *pen) outlines(x, y vg.Length, s string, st style, f face) {
	var buf sfnt.Buffer
	scale := float64(st.size) / f.perEm
	for _, r := range s {
		g := lookup(st.bold, r)
		segs, err := f.font.LoadGlyph(&buf, g.index, fixed.Int26_6(f.perEm), nil)
		if err == nil {
			var path vg.Path
			at := func(q fixed.Point26_6) vg.Point { // sfnt's y grows downwards
				return vg.Point{X: x + vg.Length(float64(q.X)*scale), Y: y - vg.Length(float64(q.Y)*scale)}
			}
			for i, sg := range segs {
				switch sg.Op {
				case sfnt.SegmentOpMoveTo:
					if i > 0 {
						path.Close()
					}
					path.Move(at(sg.Args[0]))
				case sfnt.SegmentOpLineTo:
					path.Line(at(sg.Args[0]))
				case sfnt.SegmentOpQuadTo:
					path.QuadTo(at(sg.Args[0]), at(sg.Args[1]))
				case sfnt.SegmentOpCubeTo:
					path.CubeTo(at(sg.Args[0]), at(sg.Args[1]), at(sg.Args[2]))
				}
			}
			if len(path) > 0 {
				path.Close()
				p.c.Fill(path)
			}
		}
		x += vg.Length(g.advance) * st.size
	}
}

// drawnText is one text as it was put on the page; tests look for clipped and overlapping ones.
type drawnText struct {
	s   string
	box vg.Rectangle
}

// textBox returns the box of a line drawn with its anchor at (x, y).
func textBox(x, y vg.Length, s string, st style) vg.Rectangle {
	w, h := textWidth(s, st.size, st.bold), (capHeight+descent)*st.size
	x0, y0 := -vg.Length(st.ax)*w, -vg.Length(st.ay)*h
	if st.ay == 0.5 {
		y0 = -(capHeight/2 + descent) * st.size
	}
	sin, cos := math.Sincos(st.turn)
	box := vg.Rectangle{Min: vg.Point{X: vg.Length(math.Inf(1)), Y: vg.Length(math.Inf(1))}, Max: vg.Point{X: vg.Length(math.Inf(-1)), Y: vg.Length(math.Inf(-1))}}
	for _, q := range [4]vg.Point{{X: x0, Y: y0}, {X: x0 + w, Y: y0}, {X: x0, Y: y0 + h}, {X: x0 + w, Y: y0 + h}} {
		qx, qy := x+q.X*vg.Length(cos)-q.Y*vg.Length(sin), y+q.X*vg.Length(sin)+q.Y*vg.Length(cos)
		box.Min.X, box.Min.Y = min(box.Min.X, qx), min(box.Min.Y, qy)
		box.Max.X, box.Max.Y = max(box.Max.X, qx), max(box.Max.Y, qy)
	}
	return box
}
