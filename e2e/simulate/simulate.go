package main

import (
	"math"
	"math/rand/v2"
)

// scenario is a migration by many workers.
type scenario struct {
	Workers    int
	Bytes      float64 // of array elements
	BundleSize float64 // bytes of a bundle
	UnitSize   float64 // bytes of a unit
	Arrays     float64
	Losses     float64 // the part of the workers that is lost each hour
	EachBundle bool    // each bundle has a process of its own, as in arrays of Slurm, Kubernetes and batch services
	Seed       uint64
}

// outcome is what a simulation gives.
type outcome struct {
	Wall       float64 // seconds, from the start to the end of finish
	Hours      float64 // of workers, which end before finish begins, and of the process that finishes
	Efficiency float64 // the time of workers that do nothing but convert, over that of these workers
	Bundles    int
	Again      int // bundles that were done again, in part, because a worker was lost
	Requests   requests
	Lost       map[string]float64 // seconds of workers by what they were lost to
}

// What the time of workers is lost to.
const (
	toStart    = "starting processes"
	toListing  = "listing the checkpoint"
	toRequests = "request rate of the store"
	toNetwork  = "network of the workers"
	toLosses   = "losses of workers"
	toTail     = "too few bundles"
	toFinish   = "finish"
)

// causes returns these causes in a fixed order.
func causes() []string {
	return []string{toStart, toListing, toRequests, toNetwork, toLosses, toTail, toFinish}
}

// worker is the state of a worker.
type worker struct {
	speed  float64 // relative to the measured rate
	dies   float64 // when it is lost
	bundle bool    // it has one, and has done some slices of it
	slice  int
	joined bool    // its process has joined the campaign
	since  float64 // when it has taken the bundle
}

// event is that a worker has done a step, or is lost.
type event struct {
	at     float64
	worker int
	lost   bool
}

// before tells whether e comes before another event.
func (e event) before(other event) bool {
	return e.at < other.at || e.at == other.at && e.worker < other.worker
}

// events is a heap: no event comes before the one at (its index - 1) / 2. Package container/heap would
// allocate memory for each event.
type events []event

func (e *events) push(x event) {
	h := append(*e, x)
	i := len(h) - 1
	for i > 0 && x.before(h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i], *e = x, h
}

// pop removes the first event and returns it.
func (e *events) pop() event {
	h := *e
	first, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	i := 0
	for child := 1; child < len(h); child = 2*i + 1 {
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(x) {
			break
		}
		h[i] = h[child]
		i = child
	}
	if len(h) > 0 {
		h[i] = x
	}
	*e = h
	return first
}

// queue is a store that answers so many requests a second, in the order in which they come.
type queue struct{ rate, free float64 }

// take returns when n requests that come at a time are answered.
func (q *queue) take(at, n float64) float64 {
	q.free = max(q.free, at) + n/q.rate
	return q.free
}

// steps is how many steps a bundle is simulated in. Between steps, other workers make requests.
const steps = 4

// simulation is a simulation under way.
type simulation struct {
	scenario
	costs
	limits
	random     *rand.Rand
	workers    []worker
	events     events
	puts, gets queue
	left       int     // bundles that no worker has
	working    int     // bundles that a worker has
	objects    float64 // in the checkpoint
	end        float64 // when the last bundle is done
	outcome
}

// simulate returns what becomes of a migration. The same scenario gives the same outcome.
func simulate(s scenario, c costs, l limits) outcome {
	m := simulation{scenario: s, costs: c, limits: l, random: rand.New(rand.NewPCG(s.Seed, 7)), workers: make([]worker, s.Workers)}
	m.puts.rate, m.gets.rate = l.Puts*l.Prefixes, l.Gets*l.Prefixes
	m.Bundles = int(math.Ceil(s.Bytes / s.BundleSize))
	m.left, m.Lost = m.Bundles, map[string]float64{}
	for i := range m.workers {
		m.replace(i, 0)
	}
	for m.left+m.working > 0 {
		e := m.events.pop()
		if e.lost {
			m.lose(e)
		} else {
			m.step(e)
		}
	}
	m.finish()
	return m.outcome
}

// replace starts a worker that takes part from a time on.
func (m *simulation) replace(i int, from float64) {
	dies := math.Inf(1)
	if m.Losses > 0 {
		dies = from + m.random.ExpFloat64()*3600/m.Losses
	}
	m.workers[i] = worker{speed: 1 + m.Spread*(2*m.random.Float64()-1), dies: dies}
	m.next(i, from, from)
}

// next notes what happens to a worker next: a step that ends at a time, or its loss before.
func (m *simulation) next(i int, now, until float64) {
	if d := m.workers[i].dies; d < until {
		m.events.push(event{max(now, d), i, true})
		return
	}
	m.events.push(event{until, i, false})
}

// lose has another worker do a bundle whose worker is lost.
func (m *simulation) lose(e event) {
	w := &m.workers[e.worker]
	if w.bundle {
		m.Again++
		m.left++
		m.working--
		m.Lost[toLosses] += e.at - w.since
	}
	m.Lost[toLosses] += m.Replace
	m.replace(e.worker, e.at+m.Replace)
}

// step begins the next step of a worker.
func (m *simulation) step(e event) {
	w := &m.workers[e.worker]
	now := e.at
	if w.bundle && w.slice == steps {
		w.bundle = false
		m.working--
		m.end = max(m.end, now)
		m.objects += m.BundleObjects
		if m.EachBundle {
			w.joined = false
		}
	}
	if !w.bundle {
		if m.left == 0 {
			// It would get the bundle of a worker that is lost later.
			if m.working > 0 {
				m.events.push(event{m.soonest(now), e.worker, false})
			}
			return
		}
		m.left--
		m.working++
		w.bundle, w.slice, w.since = true, 0, now
		if !w.joined {
			w.joined = true
			m.next(e.worker, now, m.join(now))
			return
		}
	}
	until := m.convert(now, w)
	w.slice++
	m.next(e.worker, now, until)
}

// soonest returns when an idle worker looks for a bundle again: with the next event, and a second
// later at the earliest.
func (m *simulation) soonest(now float64) float64 {
	if len(m.events) == 0 {
		return now + 1
	}
	return max(now+1, m.events[0].at)
}

// join returns when a process has joined the campaign that is started at a time.
func (m *simulation) join(now float64) float64 {
	pages := math.Ceil(max(1, m.objects) / 1000)
	r := m.JoinRequests
	lists := m.Whole
	if m.EachBundle {
		lists++ // of --left
	}
	r.List += pages * lists
	m.objects += m.ProcessObjects
	m.Requests = m.Requests.add(r, 1)
	start := m.Launch + m.Process + m.Plan + m.First + m.PlanArray*m.Arrays + m.Latency*(r.Get+r.Put+m.JoinRequests.List)
	list := lists * (pages*m.ListPage + m.objects*m.Object)
	m.Lost[toStart] += start
	m.Lost[toListing] += list
	ready := now + start + list
	answered := max(m.gets.take(now, r.Get+r.List), m.puts.take(now, r.Put))
	m.Lost[toRequests] += max(0, answered-ready)
	return max(ready, answered)
}

// convert returns when a worker has converted a slice of its bundle that it begins at a time.
func (m *simulation) convert(now float64, w *worker) float64 {
	bytes := min(m.BundleSize, m.Bytes) / steps
	r := requests{}.add(m.UnitRequests, bytes/m.UnitSize).add(m.BundleRequests, 1.0/steps)
	m.Requests = m.Requests.add(r, 1)
	busy := bytes/(m.Rate*w.speed) + (m.Bundle+m.Latency*(m.BundleRequests.Get+m.BundleRequests.Put+m.BundleRequests.List))/steps
	sent := 2 * bytes * m.Ratio / m.Network
	m.Lost[toNetwork] += max(0, sent-busy)
	done := now + max(busy, sent)
	answered := max(m.gets.take(now, r.Get+r.List), m.puts.take(now, r.Put))
	m.Lost[toRequests] += max(0, answered-done)
	return max(done, answered)
}

// finish adds the last process, which works alone.
func (m *simulation) finish() {
	units, bundles := math.Ceil(m.Bytes/m.UnitSize), float64(m.Bundles)
	r := requests{Put: 4 + m.Arrays, List: m.FinishLists * math.Ceil(units/1000)}.add(m.FinishRequests, bundles)
	join := m.Launch + m.Process + m.Plan + m.PlanArray*m.Arrays + math.Ceil(m.objects/1000)*m.ListPage // finish lists the checkpoint once
	alone := join + m.Finish + units*m.FinishUnit + bundles*(m.Receipts+m.FinishWaits*m.Latency) + m.Latency*r.Put + m.ListPage*r.List
	m.Requests = m.Requests.add(r, 1)
	m.Wall = m.end + alone
	m.Hours = (m.end*float64(m.Workers) + alone) / 3600
	ideal := m.Bytes / m.Rate
	all := m.Wall * float64(m.Workers)
	m.Efficiency = ideal / all
	m.Lost[toFinish] = alone * float64(m.Workers)
	others := 0.0
	for _, cause := range causes() {
		others += m.Lost[cause]
	}
	m.Lost[toTail] = max(0, all-ideal-others)
}
