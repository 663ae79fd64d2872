"""The MCP server: what an agent may ask of msd, over a pipe, with every answer read from what runs keep on disk.

Invariants
- A tool call answers within seconds; a review itself runs in a process of its own, which outlives the server.
- Nothing that an agent says is a consent: who is blocked stays blocked, and the answer holds the command for a person.
- What an agent names lies inside the project that the server was started for, links followed.
- A reviewer's words come back as quoted data, cleaned and bounded, never as instructions of ours.
"""
