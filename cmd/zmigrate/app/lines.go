package app

import (
	"bufio"
	"io"
	"strings"

	"github.com/zmigrate/zmigrate/stages"
)

// inputEnded takes the place of a signal: standard input has ended, so the process that wrote to
// it wants no more or is dead.
type inputEnded struct{}

func (inputEnded) Signal()        {}
func (inputEnded) String() string { return "end of standard input" }

// lines are lines that another process writes.
type lines struct {
	list chan string
	err  error // of reading; valid once list is closed
}

// mostWaiting is the number of lines that are read before the ones in front of them are done, if
// the end of the input ends the program. The end is seen only when no more lines are waiting.
const mostWaiting = 1 << 12

// readLines reads the lines that are not empty. If endWith is set, the end of the input stops the
// program as a signal does.
func (a *app) readLines(r io.Reader, endWith bool) *lines {
	in := &lines{list: make(chan string)}
	if endWith {
		in.list = make(chan string, mostWaiting)
	}
	go func() {
		s := bufio.NewScanner(r)
		for s.Scan() {
			if line := strings.TrimSpace(s.Text()); line != "" {
				in.list <- line
			}
		}
		in.err = s.Err()
		close(in.list)
		if endWith {
			a.signals <- inputEnded{}
		}
	}()
	return in
}

// next waits for a line. The error is io.EOF after the last line, and stages.ErrStopped if stop
// was closed while there are lines.
func (in *lines) next(stop <-chan struct{}) (string, error) {
	var line string
	more := true
	select {
	case line, more = <-in.list:
	case <-stop:
		select {
		case line, more = <-in.list:
		default:
		}
	}
	if !more {
		if in.err != nil {
			return "", in.err
		}
		return "", io.EOF
	}
	select {
	case <-stop:
		return "", stages.ErrStopped
	default:
		return line, nil
	}
}
