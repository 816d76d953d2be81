package weather

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"headroom/validation"
)

// station is a file of real weather and the climate that is derived from it.
type station struct {
	city    string // of the built-in climate; empty for a file that only has to load
	name    string // where it was observed
	file    string // below the folder weather of the data
	source  string
	options CSVOptions // of a CSV
}

const (
	tmy3    = "NREL TMY3 (2008), typical months of 1976-2005"
	iwec    = "ASHRAE IWEC (2001), typical months of 1982-1999"
	cswd    = "Chinese Standard Weather Data (China Meteorological Administration and Tsinghua University, 2005)"
	tmyx    = "Climate.OneBuilding TMYx, typical months of 2007-2021"
	pm25    = "hourly observations 2010-2015 in the UCI data set PM2.5 Data of Five Chinese Cities (CC BY 4.0)"
	meteo   = "Open-Meteo 2023 (CC BY 4.0)"
	derived = "monthly statistics computed from "
)

var stations = []station{
	{"Amsterdam", "Amsterdam airport", "epw/NLD_Amsterdam.062400_IWEC.epw.gz", iwec, CSVOptions{}},
	{"Ashburn", "Washington Dulles airport", "epw/USA_VA_Sterling-Washington.Dulles.Intl.AP.724030_TMY3.epw.gz", tmy3, CSVOptions{}},
	{"Atlanta", "Atlanta airport", "epw/USA_GA_Atlanta-Hartsfield-Jackson.Intl.AP.722190_TMY3.epw.gz", tmy3, CSVOptions{}},
	{"Beijing", "Beijing", "china_hourly_2010_2015/Beijing.csv.gz", pm25, CSVOptions{Latitude: 39.93, Longitude: 116.28, AltitudeM: 32, Zone: 8}},
	{"Chicago", "Chicago O'Hare airport", "epw/USA_IL_Chicago-OHare.Intl.AP.725300_TMY3.epw.gz", tmy3, CSVOptions{}},
	{"Dallas", "Dallas-Fort Worth airport", "epw/USA_TX_Dallas-Fort.Worth.Intl.AP.722590_TMY3.epw.gz", tmy3, CSVOptions{}},
	{"Denver", "Denver airport", "epw/USA_CO_Denver.Intl.AP.725650_TMY3.epw.gz", tmy3, CSVOptions{}},
	{"Dublin", "Dublin airport", "epw/IRL_Dublin.039690_IWEC.epw.gz", iwec, CSVOptions{}},
	{"Frankfurt", "Frankfurt airport", "epw/DEU_Frankfurt.am.Main.106370_IWEC.epw.gz", iwec, CSVOptions{}},
	{"Guangzhou", "Guangzhou", "china_hourly_2010_2015/Guangzhou.csv.gz", pm25, CSVOptions{Latitude: 23.13, Longitude: 113.32, AltitudeM: 7, Zone: 8}},
	{"Hangzhou", "Hangzhou", "epw/CHN_Zhejiang.Hangzhou.584570_CSWD.epw.gz", cswd, CSVOptions{}},
	{"Helsinki", "Helsinki airport", "epw/FIN_Helsinki.029740_IWEC.epw.gz", iwec, CSVOptions{}},
	{"Kuala Lumpur", "Kuala Lumpur", "epw/MYS_Kuala.Lumpur.486470_IWEC.epw.gz", iwec, CSVOptions{}},
	{"London", "Gatwick airport", "epw/GBR_London.Gatwick.037760_IWEC.epw.gz", iwec, CSVOptions{}},
	{"Omaha", "Omaha Eppley airfield", "epw/USA_NE_Omaha-Eppley.Airfield.725500_TMY3.epw.gz", tmy3, CSVOptions{}},
	{"Phoenix", "Phoenix Sky Harbor airport", "epw/USA_AZ_Phoenix-Sky.Harbor.epw.gz", tmyx, CSVOptions{}},
	{"Portland", "Portland airport, Oregon", "epw/USA_OR_Portland.Intl.AP.726980_TMY3.epw.gz", tmy3, CSVOptions{}},
	{"Quincy", "Moses Lake airport, Washington", "epw/USA_WA_Moses.Lake-Grant.County.AP.727827_TMY3.epw.gz", tmy3, CSVOptions{}},
	{"San Jose", "San Jose airport, California", "epw/USA_CA_San.Jose.Intl.AP.724945_TMY3.epw.gz", tmy3, CSVOptions{}},
	{"Shanghai", "Shanghai", "china_hourly_2010_2015/Shanghai.csv.gz", pm25, CSVOptions{Latitude: 31.17, Longitude: 121.43, AltitudeM: 4, Zone: 8}},
	{"Singapore", "Singapore Changi airport", "epw/SGP_Singapore.486980_IWEC.epw.gz", iwec, CSVOptions{}},
	{"Stockholm", "Stockholm Arlanda airport", "epw/SWE_Stockholm.Arlanda.024600_IWEC.epw.gz", iwec, CSVOptions{}},
	{"Sydney", "Sydney airport", "epw/AUS_NSW.Sydney.947670_IWEC.epw.gz", iwec, CSVOptions{}},
	{
		"Tokyo", "Hyakuri air base, 80 km north-east, some 2.5 K cooler than the city", "epw/JPN_Tokyo.Hyakuri.477150_IWEC.epw.gz",
		iwec,
		CSVOptions{},
	},
}

// dataDir is the folder of real weather.
func dataDir(t testing.TB) string {
	t.Helper()
	return filepath.Join(validation.DataDir(t), "weather")
}

// readStation reads one file of real weather.
func readStation(t testing.TB, s station) *Series {
	t.Helper()
	f, err := os.Open(filepath.Join(dataDir(t), s.file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var series *Series
	if strings.HasSuffix(s.file, ".epw.gz") {
		series, err = ReadEPW(f, s.file)
	} else {
		series, err = ReadCSV(f, s.file, s.options)
	}
	if err != nil {
		t.Fatal(err)
	}
	return series
}
