package scenarios

import (
	"headroom/facility/catalog"
	"headroom/facility/power"
)

// curve returns a loss curve of the catalogue.
func (b *builder) curve(kind, name string) (power.Loss, error) {
	c := b.s.catalog
	var loss catalog.Loss
	var title string
	switch kind {
	case "ups":
		e, err := c.UPS(name)
		if err != nil {
			return power.Loss{}, err
		}
		loss, title = e.Loss, e.Name
	case "transformers":
		e, err := c.Transformer(name)
		if err != nil {
			return power.Loss{}, err
		}
		loss, title = e.Loss, e.Name
	default:
		e, err := c.Distribution(name)
		if err != nil {
			return power.Loss{}, err
		}
		loss, title = e.Loss, e.Name
	}
	return power.Loss{A: loss.A.Value, B: loss.B.Value, C: loss.C.Value, Name: title, Source: c.Source(loss.A.Source)}, nil
}
