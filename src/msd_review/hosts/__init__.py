"""Takes msd into the tools that people and agents already work in, and out again without a trace.

A host is a capability with a runtime body: where its folder is, what it reads there, how its commands are called and
where its MCP servers are registered are all data, so that a new host is a new manifest. What would be written is
computed first, as values; it is then shown as a diff, or carried out under a lock with a ledger.
"""
