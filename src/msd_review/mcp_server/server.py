"""The tools and prompts, spoken through the official SDK over stdin and stdout. The only module that loads the SDK."""

import asyncio
import json
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from msd_review import __version__
from msd_review.edges import environ
from msd_review.errors import MsdError
from msd_review.mcp_server import arguments, guide, refusal, tools
from msd_review.mcp_server.places import Project
from msd_review.mcp_server.refusal import Refused
from msd_review.mcp_server.shapes_in import INPUTS
from msd_review.mcp_server.shapes_out import OUTPUTS
from msd_review.mcp_server.texts import line
from msd_review.mcp_server.tool_names import TOOLS, ToolText
from msd_review.mcp_server.waiting import wait_for_end
from msd_review.mcp_server.wire import own_streams

CALL_S = 50.0  # clients cut calls after a minute
_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP")

Context = ServerRequestContext[Any, Any]


def serve(project: Project) -> int:
    """Serves until the client closes its end, or a signal says so; the runs that were begun go on."""
    where = project.root if project.root is not None else f"no project: {project.why_not}"
    sys.stderr.write(f"msd mcp {__version__}: serving {where}\n")
    with own_streams() as (lines, pen):
        asyncio.run(_serve(project, lines, pen))
    return 0


async def _serve(project: Project, lines: Any, pen: Any) -> None:
    server = _server(project)
    with anyio.CancelScope() as scope:
        _end_on_signals(scope.cancel)
        async with stdio_server(stdin=lines, stdout=pen) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
            scope.cancel()


def _end_on_signals(end: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and sys.platform != "win32":
            loop.add_signal_handler(number, end)


def _server(project: Project) -> Server[Any]:
    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(name, text) for name, text in TOOLS.items()])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in TOOLS:
            raise MCPError(code=types.INVALID_PARAMS, message=f"no tool is called {line(params.name, 80)}")
        return await _answer(project, context, params)

    async def list_prompts(_: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_prompt(name) for name in guide.PROMPTS])

    async def get_prompt(_: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return _filled_prompt(params.name, params.arguments or {})

    return Server(
        "msd",
        version=__version__,
        title="msd: reviews by many reviewers",
        instructions=guide.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _tool(name: str, text: ToolText) -> types.Tool:
    return types.Tool(
        name=name,
        title=text.title,
        description=text.description,
        input_schema=INPUTS[name],
        output_schema=OUTPUTS[name],
        annotations=types.ToolAnnotations(
            title=text.title,
            read_only_hint=text.reads_only,
            destructive_hint=text.destroys,
            idempotent_hint=text.repeats_safely,
            open_world_hint=text.reaches_out,
        ),
    )


async def _answer(
    project: Project, context: Context, params: types.CallToolRequestParams
) -> types.CallToolResult:
    """The tool's document, or what is wrong: never a traceback, never later than CALL_S."""
    try:
        given = arguments.checked(params.name, params.arguments)
        with anyio.fail_after(CALL_S):
            document = await _document(project, context, params.name, given)
    except MsdError as problem:
        return _refusal(problem)
    except TimeoutError:
        hint = "a run that was started goes on; ask review_status"
        return _refusal(Refused("too_slow", f"{params.name} took longer than {CALL_S:.0f} s", hint=hint))
    except Exception as bug:  # noqa: BLE001 - this call's boundary: a fault must not end the conversation
        if environ.get("MSD_DEBUG") is not None:
            traceback.print_exc()
        return _refusal(Refused("fault", f"a fault in msd: {type(bug).__name__}: {line(str(bug), 300)}"))
    return _result(document)


async def _document(project: Project, context: Context, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    if tool == "review_status" and given.get("wait_seconds"):
        return await wait_for_end(
            project, given.get("run"), seconds=given["wait_seconds"], tell=context.session.report_progress
        )
    client = _client(context)
    return await anyio.to_thread.run_sync(
        lambda: tools.call(project, tool, given, client=client), abandon_on_cancel=True
    )


def _client(context: Context) -> str:
    params = context.session.client_params
    return line(params.client_info.name, 80) if params is not None else ""


def _result(document: dict[str, Any], *, is_error: bool = False) -> types.CallToolResult:
    text = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace").decode()
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        structured_content=json.loads(text),
        is_error=is_error,
    )


def _refusal(problem: MsdError) -> types.CallToolResult:
    return _result(refusal.as_json(problem), is_error=True)


def _prompt(name: str) -> types.Prompt:
    title, description, given = guide.PROMPTS[name]
    return types.Prompt(
        name=name,
        title=title,
        description=description,
        arguments=[
            types.PromptArgument(name=key, description=text, required=False) for key, text in given.items()
        ],
    )


def _filled_prompt(name: str, given: dict[str, str]) -> types.GetPromptResult:
    if name not in guide.PROMPTS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"no prompt is called {line(name, 80)}")
    unknown = sorted(given.keys() - guide.PROMPTS[name][2].keys())
    if unknown:
        raise MCPError(code=types.INVALID_PARAMS, message=f"{name} takes no {line(unknown[0], 80)}")
    text = guide.prompt_text(name, given)
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=guide.PROMPTS[name][1], messages=[message])
