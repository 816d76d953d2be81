package cooling

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"headroom/facility/weather"
	"headroom/validation"
)

// cloudRegions are the regions with a built-in climate at or near their place.
var cloudRegions = []struct{ provider, region, city string }{
	{"Amazon Web Services", "ap-northeast-1", "Tokyo"},
	{"Amazon Web Services", "ap-southeast-1", "Singapore"},
	{"Amazon Web Services", "ap-southeast-2", "Sydney"},
	{"Amazon Web Services", "cn-northwest-1", "Zhongwei"},
	{"Amazon Web Services", "eu-central-1", "Frankfurt"},
	{"Amazon Web Services", "eu-north-1", "Stockholm"},
	{"Amazon Web Services", "eu-west-1", "Dublin"},
	{"Amazon Web Services", "us-east-1", "Ashburn"},
	{"Amazon Web Services", "us-west-1", "San Jose"},
	{"Amazon Web Services", "us-west-2", "Portland"},
	{"Google Cloud", "asia-southeast1", "Singapore"},
	{"Google Cloud", "europe-north1", "Helsinki"},
	{"Google Cloud", "europe-west4", "Amsterdam"},
	{"Google Cloud", "us-central1", "Omaha"},
	{"Google Cloud", "us-east4", "Ashburn"},
	{"Google Cloud", "us-south1", "Dallas"},
	{"Google Cloud", "us-west1", "Portland"},
	{"Microsoft Azure", "centralus", "Omaha"},
	{"Microsoft Azure", "eastus", "Ashburn"},
	{"Microsoft Azure", "northcentralus", "Chicago"},
	{"Microsoft Azure", "northeurope", "Dublin"},
	{"Microsoft Azure", "southeastasia", "Singapore"},
	{"Microsoft Azure", "swedencentral", "Stockholm"},
	{"Microsoft Azure", "westeurope", "Amsterdam"},
	{"Microsoft Azure", "westus", "Quincy"},
	{"Microsoft Azure", "westus3", "Phoenix"},
}

// What the providers say of their regions in 2023 against the plants they are known for, with the middle of each of
// Lei and Masanet's parameter ranges: outdoor air with pads (C1) for Amazon and Microsoft, water-cooled chillers behind a
// water-side economizer (C2) for Google. A region is a mean over many halls, some of them leased and of other plants,
// which no plant here stands for. Allowed is half of what lies between the 5th and 95th percentile of those cases in
// the study: 0.06, and 0.085 where it is hot and humid all year.
func TestCloudPUEByRegion(t *testing.T) {
	rows, err := csv.NewReader(validation.DataFile(t, "pue/cloud_region_annual_pue_wue.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	published := map[string]float64{}
	for _, r := range rows[1:] {
		if r[0] == "2023" {
			if published[r[1]+r[2]], err = strconv.ParseFloat(r[7], 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	const source = "the providers' own figures for 2023, as collected by the Green Software Foundation (real-time-cloud)"
	here := map[string]float64{}
	for _, c := range cloudRegions {
		want, ok := published[c.provider+c.region]
		if !ok {
			t.Fatalf("no PUE of %s %s", c.provider, c.region)
		}
		k, within := 0, 0.06
		if c.provider == "Google Cloud" {
			k = 1
		}
		if c.city == "Singapore" {
			within = 0.085
		}
		s, err := weather.BuiltIn(c.city)
		if err != nil {
			t.Fatal(err)
		}
		pue, _, _ := leiCases[k].year(t, s)
		here[c.provider+c.city] = pue
		name, _, _ := strings.Cut(strings.ToLower(c.provider), " ")
		validation.Within("pue/cloud-"+name+"-"+c.region, fmt.Sprintf("%s %s (%s), plant %s: annual PUE", c.provider, c.region, c.city, leiCases[k].name), "", want, within, source).
			FromData().Check(t, pue)
	}
	// How much a tropical place costs over a northern one does not hang on what else the halls of a provider lose.
	for _, c := range []struct{ provider, hot, cold, hotCity, coldCity string }{
		{"Amazon Web Services", "ap-southeast-1", "eu-north-1", "Singapore", "Stockholm"},
		{"Google Cloud", "asia-southeast1", "europe-north1", "Singapore", "Helsinki"},
		{"Microsoft Azure", "southeastasia", "swedencentral", "Singapore", "Stockholm"},
	} {
		name, _, _ := strings.Cut(strings.ToLower(c.provider), " ")
		validation.Within("pue/cloud-"+name+"-climate", fmt.Sprintf("%s, %s over %s: PUE", c.provider, c.hotCity, c.coldCity), "", published[c.provider+c.hot]-published[c.provider+c.cold], 0.06, source).
			FromData().Check(t, here[c.provider+c.hotCity]-here[c.provider+c.coldCity])
	}
}
