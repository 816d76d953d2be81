package workload

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// maxLineBytes bounds a line, so that a file that is not a trace cannot fill the memory.
const maxLineBytes = 1 << 20

const readBytes = 1 << 16

// lines reads a trace line by line, unpacking gzip.
type lines struct {
	name   string
	r      *bufio.Reader
	packed bool
	line   int // number of the line last read
	long   []byte
	errs   *TraceErrors
}

// openLines unpacks the stream if it starts with gzip's magic number. It returns nil when the stream cannot be read;
// errs says why.
func openLines(r io.Reader, name string, errs *TraceErrors) *lines {
	l := &lines{name: name, r: bufio.NewReaderSize(r, readBytes), errs: errs}
	if head, _ := l.r.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(l.r)
		if err != nil {
			errs.add(TraceError{File: name, Message: fmt.Sprintf("gzip: %v", err)})
			return nil
		}
		l.r, l.packed = bufio.NewReaderSize(z, readBytes), true
	}
	if head, _ := l.r.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) { // byte order mark
		_, _ = l.r.Discard(3)
	}
	return l
}

// next is the next line without its end, valid until the next call; false at the end of the stream, whether it came by
// itself or by an error.
func (l *lines) next() ([]byte, bool) {
	b, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		b, err = l.nextLong(b)
	}
	if len(b) > 0 || err == nil {
		l.line++
	}
	switch {
	case err == nil:
		b = b[:len(b)-1]
	case !errors.Is(err, io.EOF):
		l.fail(0, "cannot be read: %v", err)
		return nil, false
	case len(b) == 0:
		return nil, false
	case !l.packed && len(bytes.TrimSpace(b)) > 0:
		// Nothing tells "…,16279" cut to "…,16" from a whole line; a checksum would, and gzip has one.
		l.fail(len(b)+1, "the last line has no line end, it may be cut off; end it with a newline if it is whole")
	}
	if n := len(b); n > 0 && b[n-1] == '\r' {
		b = b[:n-1]
	}
	return b, true
}

func (l *lines) nextLong(b []byte) ([]byte, error) {
	l.long = append(l.long[:0], b...)
	for {
		b, err := l.r.ReadSlice('\n')
		if len(l.long) <= maxLineBytes {
			l.long = append(l.long, b...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(l.long) > maxLineBytes {
			l.line++
			l.fail(0, "the line is longer than %d bytes", maxLineBytes)
			l.line--
			return []byte("\n"), err // an empty line, said to be bad
		}
		return l.long, err
	}
}

func (l *lines) fail(col int, format string, args ...any) {
	l.errs.add(TraceError{File: l.name, Line: l.line, Col: col, Message: fmt.Sprintf(format, args...)})
}

// maxArrivalNS bounds an arrival, so that arrival plus run time fits into 64 bits: 192 years, enough for seconds since
// 1970.
const maxArrivalNS = math.MaxInt64 - int64(MaxWorkS*nsPerS)

// parseNS reads a time in seconds, as "12" or "12.5" or "1.2e3", as nanoseconds. The problem is "" when there is none.
func parseNS(b []byte, most int64) (ns int64, problem string) {
	b = bytes.TrimSpace(b)
	// Digits and at most nine decimals are read as integers, which is exact and fast.
	var x uint64
	digits, decimals := 0, -1
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9' && digits < 19 && decimals < 9:
			x = 10*x + uint64(c-'0')
			digits++
			if decimals >= 0 {
				decimals++
			}
			continue
		case c == '.' && decimals < 0:
			decimals = 0
			continue
		}
		return parseSlowNS(b, most)
	}
	if digits == 0 {
		return parseSlowNS(b, most)
	}
	for i := max(decimals, 0); i < 9; i++ {
		if x > math.MaxUint64/10 {
			return parseSlowNS(b, most)
		}
		x *= 10
	}
	if x > uint64(most) {
		return 0, tooLong(b, most)
	}
	return int64(x), ""
}

func parseSlowNS(b []byte, most int64) (int64, string) {
	x, problem := parseNumber(b)
	if problem != "" {
		return 0, problem
	}
	ns := math.Round(x * nsPerS)
	if ns > float64(most) {
		return 0, tooLong(b, most)
	}
	return min(int64(ns), most), ""
}

func tooLong(b []byte, most int64) string {
	return fmt.Sprintf("%s s is more than %.3g s", quote(b), float64(most)/nsPerS)
}

// parseGPUs reads a number of GPUs; "8.0", as some programs write it, is 8.
func parseGPUs(b []byte) (int32, string) {
	b = bytes.TrimSpace(b)
	if len(b) == 1 && b[0] >= '1' && b[0] <= '9' {
		return int32(b[0] - '0'), ""
	}
	x, problem := parseNumber(b)
	switch {
	case problem != "":
		return 0, problem
	case x == 0:
		return 0, "0 GPUs: a job needs at least one"
	case x != math.Trunc(x):
		return 0, quote(b) + " is not a whole number of GPUs"
	case x > math.MaxInt32:
		return 0, quote(b) + " is too many GPUs"
	}
	return int32(x), ""
}

// parseNumber reads a decimal number that is finite and not negative.
func parseNumber(b []byte) (float64, string) {
	if len(b) == 0 {
		return 0, "no value"
	}
	x, err := strconv.ParseFloat(string(b), 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || math.IsInf(x, 0) || math.IsNaN(x):
		return 0, quote(b) + " is not finite"
	case err != nil || bytes.ContainsAny(b, "xX_"):
		return 0, quote(b) + " is not a number"
	case x < 0:
		return 0, quote(b) + " is negative"
	}
	return x, ""
}

// quote is the offending text, cut to what a message can bear.
func quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "…"
	}
	return strconv.Quote(string(b))
}
