package units

import "strings"

// nearestLimit is the longest word, in runes, for which a neighbour is looked for.
const nearestLimit = 100

// Nearest returns the word of the list that was most likely meant: the least edit distance (insert, delete,
// replace, swap of neighbours; case, '-', '_' and ' ' do not count), at most a third of the word's length
// and at least one. A word that continues the one given ("hgx-h100" for "hgx-h100-air") counts as half an edit.
// On a tie the earlier in the list wins. ok is false when nothing is near.
func Nearest(word string, among []string) (best string, ok bool) {
	w := []rune(fold(word))
	if len(w) == 0 || len(w) > nearestLimit {
		return "", false
	}
	limit := 2 * max(1, len(w)/3) // in half edits
	least := limit + 1
	for _, candidate := range among {
		c := []rune(fold(candidate))
		if len(c) == 0 || len(c) > nearestLimit {
			continue
		}
		distance := least
		if 2*abs(len(c)-len(w)) < least {
			distance = 2 * editDistance(w, c)
		}
		// A word of one letter with the letter replaced is a stranger, not a neighbour.
		if len(w) == 1 && len(c) == 1 && distance > 0 {
			continue
		}
		if distance > 0 && len(w) >= 3 && strings.HasPrefix(string(c), string(w)) {
			distance = 1
		}
		if distance < least {
			best, least = candidate, distance
		}
	}
	return best, least <= limit
}

func fold(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// editDistance is the optimal string alignment distance (Damerau-Levenshtein with each part edited once).
func editDistance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
