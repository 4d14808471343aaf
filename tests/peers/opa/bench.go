package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown/cache"
	"github.com/open-policy-agent/opa/v1/util"
)

const entry = "data.mcp.fetch.allow"

// Microseconds of CPU time for one evaluation, and percentiles by the clock.
type figures struct {
	Policy     string  `json:"policy"`
	Input      string  `json:"input"`
	Allowed    bool    `json:"allowed"`
	LoadMs     float64 `json:"load_ms"`
	Parsed     timing  `json:"parsed"`
	FromText   timing  `json:"from_text"`
	Allocation float64 `json:"allocations"`
}

type timing struct {
	Mean float64 `json:"mean_us"`
	P50  float64 `json:"p50_us"`
	P99  float64 `json:"p99_us"`
}

func benchFolders(seconds string, folders []string) error {
	budget, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := benchFolder(folder, time.Duration(budget*float64(time.Second))); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	return nil
}

type loaded struct {
	modules map[string]string
	data    map[string]any
}

func load(folder string) (loaded, error) {
	found := loaded{modules: map[string]string{}, data: map[string]any{}}
	files, err := os.ReadDir(filepath.Join(folder, "policy"))
	if err != nil {
		return found, err
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(folder, "policy", file.Name()))
		if err != nil {
			return found, err
		}
		if strings.HasSuffix(file.Name(), ".rego") {
			found.modules[file.Name()] = string(text)
		} else if file.Name() == "data.json" {
			if err := util.UnmarshalJSON(text, &found.data); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

// Room for every pattern of a policy; otherwise OPA compiles all but a hundred anew each time. Tokens
// are not remembered, by its default.
func valueCache() (cache.InterQueryValueCache, error) {
	config, err := cache.ParseCachingConfig([]byte(`{"inter_query_builtin_value_cache": {"max_num_entries": 100000}}`))
	if err != nil {
		return nil, err
	}
	return cache.NewInterQueryValueCache(context.Background(), config), nil
}

func prepare(from loaded) (rego.PreparedEvalQuery, error) {
	options := []func(*rego.Rego){rego.Query(entry),
		rego.Store(inmem.NewFromObjectWithOpts(from.data, inmem.OptReturnASTValuesOnRead(true)))}
	for name, text := range from.modules {
		options = append(options, rego.Module(name, text))
	}
	return rego.New(options...).PrepareForEval(context.Background())
}

func benchFolder(folder string, budget time.Duration) error {
	from, err := load(folder)
	if err != nil {
		return err
	}
	loadTime := time.Duration(1 << 62)
	var prepared rego.PreparedEvalQuery
	for range 3 {
		before := cpuTime()
		if prepared, err = prepare(from); err != nil {
			return err
		}
		loadTime = min(loadTime, cpuTime()-before)
	}
	for _, input := range []string{"allow", "deny"} {
		text, err := os.ReadFile(filepath.Join(folder, input+".json"))
		if err != nil {
			return err
		}
		found, err := benchInput(prepared, text, budget)
		if err != nil {
			return err
		}
		found.Policy, found.Input = filepath.Base(folder), input
		found.LoadMs = float64(loadTime.Microseconds()) / 1000
		line, _ := json.Marshal(found)
		fmt.Println(string(line))
	}
	return nil
}

func benchInput(prepared rego.PreparedEvalQuery, text []byte, budget time.Duration) (figures, error) {
	ctx := context.Background()
	decode := func() (ast.Value, error) {
		var raw any
		if err := util.UnmarshalJSON(text, &raw); err != nil {
			return nil, err
		}
		return ast.InterfaceToValue(raw)
	}
	input, err := decode()
	if err != nil {
		return figures{}, err
	}
	values, err := valueCache()
	if err != nil {
		return figures{}, err
	}
	remember := rego.EvalInterQueryBuiltinValueCache(values)
	results, err := prepared.Eval(ctx, rego.EvalParsedInput(input), remember)
	if err != nil {
		return figures{}, err
	}
	found := figures{Allowed: results.Allowed()}
	evaluate := func() { _, err = prepared.Eval(ctx, rego.EvalParsedInput(input), remember) }
	found.Parsed = measure(budget, evaluate)
	found.Allocation = allocations(evaluate)
	found.FromText = measure(budget, func() {
		if value, failed := decode(); failed != nil {
			err = failed
		} else {
			_, err = prepared.Eval(ctx, rego.EvalParsedInput(value), remember)
		}
	})
	return found, err
}

// The mean is CPU time of the process, so that the collector is in it: best of three rounds. The
// percentiles are by the clock.
func measure(budget time.Duration, work func()) timing {
	mean := meanOf(budget, work)
	const most = 1 << 18
	samples := make([]float64, 0, most)
	begun := time.Now()
	last := begun
	for len(samples) < most && (last.Sub(begun) < budget || len(samples) < 10) {
		work()
		now := time.Now()
		samples = append(samples, float64(now.Sub(last).Nanoseconds())/1000)
		last = now
	}
	slices.Sort(samples)
	return timing{Mean: mean, P50: samples[len(samples)/2], P99: samples[len(samples)*99/100]}
}

func meanOf(budget time.Duration, work func()) float64 {
	batch, best := 1, 1e12
	for round := 0; round < 3; {
		begun := cpuTime()
		for range batch {
			work()
		}
		took := cpuTime() - begun
		if took < budget/8 {
			batch *= 4 // this was the warming up
			continue
		}
		best = min(best, float64(took.Nanoseconds())/1000/float64(batch))
		round++
	}
	return best
}

func allocations(work func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const rounds = 20
	for range rounds {
		work()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / rounds
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
