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
// are in them, and changes their order. Where that shows, Plain is what comes of it without index.
type answer struct {
	Value []any    `json:"value,omitempty"`
	Error []string `json:"error,omitempty"`
	Plain *answer  `json:"plain,omitempty"`
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
		prepared, err := rego.New(rego.Query(query), rego.Compiler(compiler), rego.Store(store),
			rego.StrictBuiltinErrors(one.Strict)).PrepareForEval(context.Background())
		if err != nil {
			answers = append(answers, answer{Error: codesOf(err)})
			continue
		}
		for _, input := range one.Inputs {
			answers = append(answers, ask(prepared, input))
		}
	}
	return answers
}

func ask(prepared rego.PreparedEvalQuery, input any) answer {
	indexed := evaluate(prepared, input, true)
	plain := evaluate(prepared, input, false)
	if !reflect.DeepEqual(indexed, plain) {
		indexed.Plain = &plain
	}
	return indexed
}

func evaluate(prepared rego.PreparedEvalQuery, input any, index bool) answer {
	limited, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	results, err := prepared.Eval(limited, rego.EvalInput(input), rego.EvalRuleIndexing(index))
	if err != nil {
		return answer{Error: codesOf(err)}
	}
	if len(results) == 0 {
		return answer{}
	}
	return answer{Value: []any{results[0].Expressions[0].Value}}
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
