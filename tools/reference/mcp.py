"""What is generated of the MCP server: the table of its tools, and the schemas of what they return."""

import json
from collections.abc import Callable
from typing import Any

from msd_review.mcp_server import refusal, shapes_in, shapes_out
from msd_review.mcp_server.tool_names import TOOLS
from reference.markdown import cell, code, codes, table


def tools_table() -> str:
    """One row a tool: what it takes, what it does."""
    rows = []
    for name, tool in TOOLS.items():
        shape = shapes_in.INPUTS[name]
        taken = [key + ("" if key not in shape["required"] else " (required)") for key in shape["properties"]]
        rows.append((code(name), codes(taken), cell(tool.description)))
    return table(("tool", "takes", "what it does"), rows)


def schemas() -> dict[str, Callable[[], str]]:
    """file → what makes its content, for every document that a tool returns."""
    made: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for tool, shape in shapes_out.OUTPUTS.items():
        name = shape["properties"]["schema"]["const"]
        made.setdefault(name, (shape, []))[1].append(tool)
    made[refusal.SCHEMA] = (shapes_out.ERROR, [])
    return {
        f"docs/schemas/{name.replace('/', '-')}.schema.json": _page(name, shape, tools)
        for name, (shape, tools) in made.items()
    }


def _page(name: str, shape: dict[str, Any], tools: list[str]) -> Callable[[], str]:
    of = (
        f"What the MCP tool{'s' if len(tools) > 1 else ''} {' and '.join(f'`{one}`' for one in tools)} return"
    )
    told = (
        f"{of}{'' if len(tools) > 1 else 's'}." if tools else "What every MCP tool returns when it refuses."
    )
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{name.replace('/', '-')}.schema.json",
        "title": name,
        "description": told,
    }
    return lambda: json.dumps(head | shape, indent=2) + "\n"
