package main

// costs are what single steps take. The seconds of steps and the numbers of requests were
// measured: on a machine with two processors, with real processes, folders in memory and a server
// of S3 on the same machine. `go run ./e2e/simulate -measure` measures them again.
type costs struct {
	Process    float64 // seconds: start of the program
	Plan       float64 // seconds: reading the job, opening the source and joining the campaign; one array
	PlanArray  float64 // seconds more for each array of the plan
	Object     float64 // seconds for each object in a list of the whole checkpoint
	Whole      float64 // lists of the whole checkpoint by a process that joins; --left makes one more
	First      float64 // seconds more of the first bundle of a process, whose memory is cold
	Bundle     float64 // seconds of a bundle besides its units
	Finish     float64 // seconds of finish besides its units and bundles
	FinishUnit float64 // seconds of finish for each unit
	Receipts   float64 // seconds of finish for each bundle
	Rate       float64 // bytes of array elements each second, by a worker with one processor, while another worker has the other one

	JoinRequests   requests // of a process that joins
	BundleRequests requests // of a bundle besides its units
	UnitRequests   requests // of a unit
	// FinishRequests are those of finish for each bundle. They are made several at a time, so that
	// finish waits for FinishWaits times the latency of the store.
	FinishRequests requests
	FinishWaits    float64
	FinishLists    float64 // lists of the whole target by finish
	BundleObjects  float64 // objects that a bundle leaves in the checkpoint
	ProcessObjects float64 // objects that a process leaves in the checkpoint
}

// requests are numbers of requests by their prices. Lists are in pages of 1000 objects.
type requests struct{ Get, Put, List float64 }

func (r requests) add(o requests, n float64) requests {
	return requests{r.Get + n*o.Get, r.Put + n*o.Put, r.List + n*o.List}
}

// measured are the costs that `-measure` printed. A test compares the tables in
// docs/many-machines-scale.md with what these costs give.
func measured() costs {
	return costs{
		Process: 0.0157, Plan: 0.00506, PlanArray: 9.4e-5, First: 0.0214,
		Object: 4.4e-6, Whole: 0, Bundle: 0.00045,
		Finish: 0.0032, FinishUnit: 8.5e-6, Receipts: 1.1e-4, FinishWaits: 0.29, FinishLists: 2,
		Rate:         300e6,
		JoinRequests: requests{Get: 8, Put: 2, List: 3}, BundleRequests: requests{Get: 2, Put: 2, List: 3},
		UnitRequests: requests{Get: 1, Put: 1}, FinishRequests: requests{Get: 2},
		BundleObjects: 2, ProcessObjects: 1,
	}
}

// limits are what a store and a cluster allow. They are not measured here.
type limits struct {
	// Amazon states that a bucket takes at least 3,500 writing and 5,500 reading requests per second
	// and partitioned prefix ("Best practices design patterns: optimizing Amazon S3 performance", in
	// the user guide of S3). Lists count as reading.
	Puts, Gets float64
	Prefixes   float64 // partitioned prefixes that the requests of target and source are spread over
	Latency    float64 // seconds of a request that another one waits for
	ListPage   float64 // seconds of a list of 1000 objects
	Network    float64 // bytes per second of a worker, in and out
	Ratio      float64 // stored bytes for each byte of array elements; both the source and the target
	Launch     float64 // seconds until a scheduler has started a pod or a task
	Replace    float64 // seconds until a worker that is lost has another one in its place
	Spread     float64 // workers are slower or faster by up to this part
}

func assumed() limits {
	return limits{
		Puts: 3500, Gets: 5500, Prefixes: 1, Latency: 0.03, ListPage: 0.1,
		Network: 10e9 / 8, Ratio: 0.5, Launch: 5, Replace: 180, Spread: 0.1,
	}
}
