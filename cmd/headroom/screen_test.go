package main

import (
	"bytes"
	"fmt"
	"testing"
)

func TestTabsFitTheScreen(t *testing.T) {
	say := func(width int) string {
		var b bytes.Buffer
		tw := newTabs(screen{&b, width})
		fmt.Fprint(tw, "A hall of some name\n\nwhere\twhat\nrow A\tthe limit of the busway over it\nB\tspace\n\nthe end of it all\n")
		if err := tw.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for width, want := range map[int]string{
		0:  "A hall of some name\n\nwhere  what\nrow A  the limit of the busway over it\nB      space\n\nthe end of it all\n",
		30: "A hall of some name\n\nwhere  what\nrow A  the limit of the busway\n       over it\nB      space\n\nthe end of it all\n",
	} {
		if got := say(width); got != want {
			t.Errorf("width %d: got\n%q, want\n%q", width, got, want)
		}
	}
}
