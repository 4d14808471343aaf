package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/util"
)

// A generated case. Each query is asked with each input.
type policyCase struct {
	Module  string         `json:"module"`
	Data    map[string]any `json:"data"`
	Inputs  []any          `json:"inputs"`
	Queries []string       `json:"queries"`
	Strict  bool           `json:"strict"`
}

// What came of a query: one of a value, an error, or nothing where it is undefined. The value is
// wrapped in a list, since null is a value too.
//
// OPA's index of rules skips those that ask for something undefined, together with the errors that
// are in them, and changes their order, which decides what an early exit skips. Where that shows,
// Others are what comes of it without index and, in strict mode, without heed to errors.
type answer struct {
	Value  []any    `json:"value,omitempty"`
	Error  []string `json:"error,omitempty"`
	Others []answer `json:"others,omitempty"`
}

// One line of answers for each case; a single answer where the module does not compile.
func answerCases(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriter(out)
	defer writer.Flush()
	encoder := json.NewEncoder(writer)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var one policyCase
		if err := util.UnmarshalJSON(line, &one); err != nil {
			return err
		}
		if err := encoder.Encode(answersOf(one)); err != nil {
			return err
		}
	}
}

func answersOf(one policyCase) []answer {
	module, err := ast.ParseModuleWithOpts("case.rego", one.Module, ast.ParserOptions{})
	if err != nil {
		return []answer{{Error: codesOf(err)}}
	}
	compiler := ast.NewCompiler()
	compiler.Compile(map[string]*ast.Module{"case.rego": module})
	if compiler.Failed() {
		return []answer{{Error: codesOf(compiler.Errors)}}
	}
	store := inmem.NewFromObject(one.Data)
	var answers []answer
	for _, query := range one.Queries {
		prepare := func(strict bool) (rego.PreparedEvalQuery, error) {
			return rego.New(rego.Query(query), rego.Compiler(compiler), rego.Store(store),
				rego.StrictBuiltinErrors(strict)).PrepareForEval(context.Background())
		}
		prepared, err := prepare(one.Strict)
		lenient, _ := prepare(false)
		if err != nil {
			answers = append(answers, answer{Error: codesOf(err)})
			continue
		}
		for _, input := range one.Inputs {
			answers = append(answers, ask(prepared, lenient, input))
		}
	}
	return answers
}

func ask(prepared, lenient rego.PreparedEvalQuery, input any) answer {
	found := evaluate(prepared, rego.EvalInput(input))
	others := []answer{
		evaluate(prepared, rego.EvalInput(input), rego.EvalRuleIndexing(false), rego.EvalEarlyExit(false)),
		evaluate(lenient, rego.EvalInput(input)),
	}
	for _, other := range others {
		if !reflect.DeepEqual(found.Value, other.Value) || !reflect.DeepEqual(found.Error, other.Error) {
			found.Others = append(found.Others, other)
		}
	}
	return found
}

func evaluate(prepared rego.PreparedEvalQuery, options ...rego.EvalOption) answer {
	limited, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	results, err := prepared.Eval(limited, options...)
	if err != nil {
		return answer{Error: codesOf(err)}
	}
	if len(results) == 0 {
		return answer{}
	}
	value := []any{results[0].Expressions[0].Value}
	// to_number("1.") is the number `1.`, which is none.
	if _, err := json.Marshal(value); err != nil {
		return answer{Error: []string{"not_json"}}
	}
	return answer{Value: value}
}

func codesOf(err error) []string {
	var codes []string
	var many rego.Errors
	var compiled ast.Errors
	var one *ast.Error
	var evaluated *topdown.Error
	switch {
	case errors.As(err, &many):
		for _, each := range many {
			codes = append(codes, codesOf(each)...)
		}
	case errors.As(err, &compiled):
		for _, each := range compiled {
			codes = append(codes, each.Code)
		}
	case errors.As(err, &one):
		codes = append(codes, one.Code)
	case errors.As(err, &evaluated):
		codes = append(codes, evaluated.Code)
	default:
		codes = append(codes, err.Error())
	}
	return codes
}
