package cooling

// CatalogEntry names an entry of the catalogue that a plant was made from.
type CatalogEntry struct{ Kind, Name string }

// CatalogEntries are the entries of the catalogue that a plant's figures come from, those of its trim included; nil for
// a plant that is made of its parameters alone.
func CatalogEntries(p Plant) []CatalogEntry {
	switch p := p.(type) {
	case *ChilledWater:
		return []CatalogEntry{{"chillers", p.params.Chiller}, {"towers", p.params.Tower}}
	case *AirCooledChiller:
		return []CatalogEntry{{"chillers", p.params.Chiller}}
	case *DryCooler:
		return []CatalogEntry{{"dry-coolers", p.params.Cooler}}
	case *CoolingTower:
		return []CatalogEntry{{"towers", p.params.Tower}}
	case *AirSideEconomizer:
		if p.params.Trim != nil {
			return CatalogEntries(p.params.Trim)
		}
	}
	return nil
}
