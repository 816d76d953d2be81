package weather

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ParseError is one problem of a weather file.
type ParseError struct {
	File  string // name of the file as the caller gave it
	Line  int    // 1-based line, 0 for the file as a whole
	Field int    // 1-based field in the line, 0 for the line as a whole
	Msg   string
}

func (e *ParseError) Error() string {
	switch {
	case e.Line == 0:
		return e.File + ": " + e.Msg
	case e.Field == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d: field %d: %s", e.File, e.Line, e.Field, e.Msg)
}

// ParseErrors are the problems of one file in the order of its lines, at most 20 of them;
// errors.As reaches the single *ParseError.
type ParseErrors []*ParseError

func (list ParseErrors) Error() string {
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the single problems to errors.Is and errors.As.
func (list ParseErrors) Unwrap() []error {
	errs := make([]error, len(list))
	for i, e := range list {
		errs[i] = e
	}
	return errs
}

// Bounds of what a reader takes in.
const (
	maxProblems  = 20        // reading stops here: the rest is mostly the same mistake
	maxFileBytes = 256 << 20 // after unpacking; a year is 1.6 MB as EPW
	maxLineBytes = 1 << 20
	maxGapHours  = 48 // a longer gap in temperature or humidity is not filled but refused
)

// problems gathers the errors of one file.
type problems struct {
	file string
	list ParseErrors
}

func (p *problems) add(line, field int, format string, args ...any) {
	if len(p.list) < maxProblems {
		p.list = append(p.list, &ParseError{p.file, line, field, fmt.Sprintf(format, args...)})
	}
}

func (p *problems) full() bool { return len(p.list) >= maxProblems }

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	return p.list
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	utf8BOM   = []byte{0xef, 0xbb, 0xbf}
)

var errTooLong = fmt.Errorf("more than %d MB of text", maxFileBytes>>20)

// unpack gives the text of a file that may be gzip, which it knows by its first two bytes, and that may
// begin with a byte order mark. Reading more than maxFileBytes of text fails.
func unpack(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(len(gzipMagic)); bytes.Equal(head, gzipMagic) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(&cappedReader{unzipped, maxFileBytes})
	} else {
		in = bufio.NewReader(&cappedReader{in, maxFileBytes})
	}
	if head, _ := in.Peek(len(utf8BOM)); bytes.Equal(head, utf8BOM) {
		_, _ = in.Discard(len(utf8BOM))
	}
	return in, nil
}

// cappedReader fails, rather than ends, when its limit is reached.
type cappedReader struct {
	r    io.Reader
	left int64
}

func (c *cappedReader) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooLong
	}
	if int64(len(b)) > c.left {
		b = b[:c.left]
	}
	n, err := c.r.Read(b)
	c.left -= int64(n)
	return n, err
}

// number reads a finite decimal number.
func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return math.NaN(), errors.New("want a number, got " + strconv.Quote(clip(text)))
	}
	return v, nil
}

// clip keeps a quoted piece of a bad file short.
func clip(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}
