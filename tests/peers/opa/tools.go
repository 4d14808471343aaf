//go:build tools

package main

// The opa program itself is built from the same module: `install` does it.
import _ "github.com/open-policy-agent/opa"
