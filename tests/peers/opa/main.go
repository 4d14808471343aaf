// OPA as a library, for tests and benchmarks that compare us with it.
//
//	opa_peer cases < CASES.jsonl    answers generated cases, one line each: see cases.go
//	opa_peer bench SECONDS FOLDER…  measures policies, one line of JSON each: see bench.go
package main

import (
	"fmt"
	"os"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "cases":
		err = answerCases(os.Stdin, os.Stdout)
	case len(os.Args) > 3 && os.Args[1] == "bench":
		err = benchFolders(os.Args[2], os.Args[3:])
	default:
		err = fmt.Errorf("usage: opa_peer cases | opa_peer bench SECONDS FOLDER…")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
