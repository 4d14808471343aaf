module bench

go 1.24.6

require github.com/docker/mcp-gateway v0.28.0

replace github.com/modelcontextprotocol/registry => github.com/docker/mcp-community-registry v0.0.0-20251024214917-21000e320421
