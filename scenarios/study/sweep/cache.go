package sweep

import (
	"slices"
	"sync"
)

// cache holds the values that were asked for last. A value is made once, by whoever asks first; others wait for it.
type cache[V any] struct {
	size int

	mu    sync.Mutex
	items map[string]*cached[V]
	order []string // oldest first
}

type cached[V any] struct {
	once  sync.Once
	value V
	err   error
}

func newCache[V any](size int) *cache[V] {
	return &cache[V]{size: size, items: map[string]*cached[V]{}}
}

func (c *cache[V]) get(key string, fill func() (V, error)) (V, error) {
	c.mu.Lock()
	item, ok := c.items[key]
	if ok {
		i := slices.Index(c.order, key)
		c.order = append(slices.Delete(c.order, i, i+1), key)
	} else {
		item = &cached[V]{}
		c.items[key] = item
		if c.order = append(c.order, key); len(c.order) > c.size {
			delete(c.items, c.order[0])
			c.order = slices.Delete(c.order, 0, 1)
		}
	}
	c.mu.Unlock()
	item.once.Do(func() { item.value, item.err = fill() })
	return item.value, item.err
}
