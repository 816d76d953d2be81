package weather

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"headroom/facility/catalog"
)

// The files of Chinese Standard Weather Data are not in the folder of real data; $HEADROOM_CSWD names a folder that holds
// them under their own names, CHN_Province.City.WMO_CSWD.epw.
var chineseStations = []station{
	{"Guiyang", "Guiyang", "CHN_Guizhou.Guiyang.578160_CSWD.epw", cswd, CSVOptions{}},
	{"Hohhot", "Hohhot", "CHN_Nei.Mongol.Hohhot.534630_CSWD.epw", cswd, CSVOptions{}},
	{"Zhangbei", "Zhangbei, on the plateau of Zhangjiakou prefecture", "CHN_Hebei.Zhangbei.533990_CSWD.epw", cswd, CSVOptions{}},
	{"Zhangjiakou", "Huailai, in the basin of Zhangjiakou prefecture, 190 m lower and about 1 K warmer than the city", "CHN_Hebei.Huailai.544050_CSWD.epw", cswd, CSVOptions{}},
}

// lapseKPerM is the fall of temperature with altitude of the standard atmosphere. Dew points are taken to fall alike, which
// keeps relative humidity nearly as it is.
const lapseKPerM = 0.0065

// neighbours are climates of places without a station in the data: the mean of stations around them, each moved to the
// place's altitude.
var neighbours = []struct {
	climate catalog.Climate
	files   []string
}{
	{
		catalog.Climate{
			City: "Ulanqab", Station: "Huade, Datong and Hohhot, 105 to 125 km around Jining, moved to its altitude",
			Latitude: 41.03, Longitude: 113.07, AltitudeM: 1419, Zone: 8,
			Source: "mean of the monthly statistics of Huade (1483 m, the prefecture's own plateau), Datong (1067 m) and Hohhot (1063 m), each moved to 1419 m at 6.5 K/km in dry bulb and dew point; computed from " + cswd,
		},
		[]string{"CHN_Nei.Mongol.Huade.533910_CSWD.epw", "CHN_Shanxi.Datong.534870_CSWD.epw", "CHN_Nei.Mongol.Hohhot.534630_CSWD.epw"},
	},
	{
		catalog.Climate{
			City: "Zhongwei", Station: "Yinchuan, 140 km down the same plain, moved to Zhongwei's altitude",
			Latitude: 37.53, Longitude: 105.18, AltitudeM: 1226, Zone: 8,
			Source: "monthly statistics of Yinchuan (1111 m), moved to 1226 m at 6.5 K/km in dry bulb and dew point; computed from " + cswd,
		},
		[]string{"CHN_Ningxia.Hui.Yinchuan.536140_CSWD.epw"},
	},
}

// TestClimatesOfChineseStations computes the climates of Chinese hubs again, writes them with -update, and holds those of a
// station to its hours as TestBuiltInAgainstRealWeather does.
func TestClimatesOfChineseStations(t *testing.T) {
	dir := os.Getenv("HEADROOM_CSWD")
	if dir == "" {
		t.Skip("CHINESE STANDARD WEATHER DATA ABSENT, NOTHING TESTED: set HEADROOM_CSWD")
	}
	read := func(file string) *Series {
		f, err := os.Open(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s, err := ReadEPW(f, file)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var text bytes.Buffer
	for _, s := range chineseStations {
		writeClimate(&text, derive(read(s.file), s))
	}
	for _, n := range neighbours {
		var around []*catalog.Climate
		for _, file := range n.files {
			c := derive(read(file), station{})
			around = append(around, moved(c, n.climate.AltitudeM))
		}
		c := meanClimate(around)
		c.City, c.Station, c.Source, c.Grade = n.climate.City, n.climate.Station, n.climate.Source, "derived"
		c.Latitude, c.Longitude, c.AltitudeM, c.Zone = n.climate.Latitude, n.climate.Longitude, n.climate.AltitudeM, n.climate.Zone
		writeClimate(&text, c)
	}
	stored, err := os.ReadFile(filepath.FromSlash(climatesFile))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := bytes.Cut(stored, []byte(chineseBegin))
	_, after, _ := bytes.Cut(rest, []byte(derivedEnds))
	whole := fmt.Sprintf("%s%s%s\n%s%s", before, chineseBegin, text.Bytes(), derivedEnds, after)
	if *update {
		if err := os.WriteFile(filepath.FromSlash(climatesFile), []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if whole != string(stored) {
		t.Error("a climate is not what its data give; run with -update and look at the difference")
	}
	for _, s := range chineseStations {
		made, err := BuiltIn(s.city)
		if err != nil {
			t.Fatal(err)
		}
		observed, got := figuresOf(read(s.file)), figuresOf(made)
		for _, c := range []struct {
			name                string
			observed, got, most float64
		}{
			{"mean", observed.meanC, got.meanC, 0.06},
			{"cold 99.6 %", observed.cold996C, got.cold996C, 1},
			{"hot 0.4 %", observed.hot004C, got.hot004C, 1},
			{"wet bulb 0.4 %", observed.wet004C, got.wet004C, 1},
			{"hours over 35 °C", observed.over35, got.over35, math.Max(0.2*observed.over35, 5)},
		} {
			t.Logf("%s: %s %.2f, made %+.2f", s.city, c.name, c.observed, c.got-c.observed)
			if math.Abs(c.got-c.observed) > c.most {
				t.Errorf("%s: %s is %.2f, in reality %.2f", s.city, c.name, c.got, c.observed)
			}
		}
	}
}

// moved is a climate at another altitude.
func moved(c *catalog.Climate, altitudeM float64) *catalog.Climate {
	m := *c
	shiftK := lapseKPerM * (c.AltitudeM - altitudeM)
	rows := []*catalog.Monthly{&m.MeanC, &m.DewMeanC}
	for q := range m.DryBulbC {
		rows = append(rows, &m.DryBulbC[q], &m.DewPointC[q])
	}
	for _, row := range rows {
		for i := range row {
			row[i] += shiftK
		}
	}
	return &m
}

// meanClimate is the mean of each figure, rounded as figures are stored.
func meanClimate(list []*catalog.Climate) *catalog.Climate {
	var c catalog.Climate
	figures := func(c *catalog.Climate) []*catalog.Monthly {
		rows := []*catalog.Monthly{&c.MeanC, &c.RangeK, &c.DaySDK, &c.DewMeanC, &c.DewSDK, &c.DayLag, &c.DewCorr}
		for q := range c.DryBulbC {
			rows = append(rows, &c.DryBulbC[q], &c.DewPointC[q])
		}
		return rows
	}
	for i, row := range figures(&c) {
		for _, from := range list {
			for m, x := range figures(from)[i] {
				row[m] += x / float64(len(list))
			}
		}
		unit := 0.1
		if row == &c.DayLag || row == &c.DewCorr {
			unit = 0.01
		}
		for m := range row {
			row[m] = round(row[m], unit)
		}
	}
	return &c
}

// A climate moved 1 km up is 6.5 K colder in every temperature and keeps every spread; the mean of equals is themselves.
func TestMovedClimate(t *testing.T) {
	climates, err := catalog.Climates()
	if err != nil {
		t.Fatal(err)
	}
	c := &climates[slices.IndexFunc(climates, func(c catalog.Climate) bool { return c.City == "Hangzhou" })]
	up := moved(c, c.AltitudeM+1000)
	for m := range c.MeanC {
		for _, d := range []float64{c.MeanC[m] - up.MeanC[m], c.DewMeanC[m] - up.DewMeanC[m], c.DryBulbC[5][m] - up.DryBulbC[5][m], c.DewPointC[0][m] - up.DewPointC[0][m]} {
			if math.Abs(d-6.5) > 1e-9 {
				t.Fatalf("month %d: %v K", m, d)
			}
		}
	}
	if up.RangeK != c.RangeK || up.DayLag != c.DayLag {
		t.Error("spreads changed")
	}
	same := meanClimate([]*catalog.Climate{c, c, c})
	if same.DryBulbC != c.DryBulbC || same.DewCorr != c.DewCorr {
		t.Error("the mean of three equal climates is another one")
	}
}
