package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// The page: 16 × 9 in at 100 dots per inch, 1600×900 pixels.
const (
	pageW = 16 * vg.Inch
	pageH = 9 * vg.Inch
	dpi   = 100
)

// Type sizes, in points on a 16-inch page. The smallest is still 9 pt when a chart fills a 13.3-inch slide.
const (
	sizeTitle    = vg.Length(23)
	sizeTitleMin = vg.Length(15) // a long title shrinks to this, then it is cut with an ellipsis
	sizeSub      = vg.Length(13)
	sizePanel    = vg.Length(14)
	sizeLabel    = vg.Length(13)
	sizeTick     = vg.Length(12.5)
	sizeSmall    = vg.Length(11)
)

// Margins and gaps.
const (
	marginX  = vg.Length(26)
	marginY  = vg.Length(18)
	panelGap = vg.Length(18)
	tickLen  = vg.Length(4)
	labelGap = vg.Length(6)
	lineData = vg.Length(2)
	lineFine = vg.Length(1.2)
	lineGrid = vg.Length(0.6)
)

// The palette: after Okabe and Ito (2008), "Color Universal Design", with lightness spread so that
// neighbours also differ in greyscale.
var (
	ink       = rgb(0x1f, 0x24, 0x2b) // text, axes
	grey      = rgb(0x5b, 0x63, 0x6e) // secondary text
	gridGrey  = rgb(0xdf, 0xe2, 0xe6)
	paleGrey  = rgb(0xf1, 0xf3, 0xf5)
	missGrey  = rgb(0xc4, 0xc9, 0xcf) // no figure
	white     = rgb(0xff, 0xff, 0xff)
	navy      = rgb(0x0b, 0x3c, 0x73)
	navyTint  = rgb(0xc9, 0xd7, 0xe8)
	orange    = rgb(0xe0, 0x8a, 0x00)
	orangeInk = rgb(0xa8, 0x62, 0x00) // orange dark enough for text
	orangeTnt = rgb(0xfb, 0xe3, 0xb8)
	sky       = rgb(0x6f, 0xb7, 0xe6)
	green     = rgb(0x00, 0x7a, 0x5a)
	greenTint = rgb(0xd9, 0xee, 0xe6)
	purple    = rgb(0xb0, 0x64, 0x93)
	limitRed  = rgb(0xb3, 0x12, 0x12) // limits, always dashed and labelled
	yellow    = rgb(0xf2, 0xe0, 0x4f)
)

// dashLimit is the pattern of every limit line; dashFine of every reference that is no limit.
var (
	dashLimit = []vg.Length{9, 5}
	dashFine  = []vg.Length{2, 3}
)

func rgb(r, g, b uint8) color.RGBA { return color.RGBA{R: r, G: g, B: b, A: 0xff} }

// luminance returns the relative luminance of an opaque colour, 0 to 1 (ITU-R BT.709 weights on linear
// light), which is what is left of it in greyscale.
func luminance(c color.RGBA) float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

func linear(c uint8) float64 {
	x := float64(c) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// ramp is the sequential scale of maps: pale yellow over orange to dark blue, monotone in lightness.
func ramp(t float64) color.RGBA {
	if !(t > 0) {
		t = 0
	}
	if t > 1 {
		t = 1
	}
	stops := [...]color.RGBA{
		rgb(0xff, 0xf7, 0xd6), rgb(0xfc, 0xd5, 0x8a), rgb(0xee, 0x9c, 0x4a),
		rgb(0xc2, 0x5b, 0x4e), rgb(0x7d, 0x2f, 0x63), rgb(0x2b, 0x12, 0x4c),
	}
	x := t * float64(len(stops)-1)
	i := int(x)
	if i >= len(stops)-1 {
		return stops[len(stops)-1]
	}
	return mix(stops[i], stops[i+1], x-float64(i))
}

func mix(a, b color.RGBA, t float64) color.RGBA {
	l := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x)) + 0.5) }
	return rgb(l(a.R, b.R), l(a.G, b.G), l(a.B, b.B))
}

// textOn returns the ink that reads on a fill.
func textOn(fill color.RGBA) color.RGBA {
	if luminance(fill) < 0.3 {
		return white
	}
	return ink
}
