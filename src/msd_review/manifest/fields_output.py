"""The fields of an output map: how a tool's JSON is read."""

from msd_review.manifest import vocabulary as words
from msd_review.manifest.shapes import Choice, Field, ListOf, MapOf, ObjectOf, Scalar, Text

POINTER = Text(rule="a JSON pointer", pattern=words.POINTER_PATTERN, empty=True)


def _pointer(name: str, doc: str, example: str, *, required: bool = False) -> Field:
    return Field(name=name, shape=POINTER, required=required, nullable=not required, doc=doc, example=example)


def _where(*, required: bool = False) -> Field:
    return Field(
        name="where",
        shape=MapOf(key=POINTER, item=Scalar()),
        required=required,
        nullable=not required,
        doc="which values count: every pointer must hold exactly this scalar",
        example={"/type": "result"},
    )


WHERE = _where()
OUTPUT_MAP = ObjectOf(
    rule="an object",
    fields=(
        Field(
            name="done",
            shape=ObjectOf(fields=(_where(required=True),)),
            nullable=True,
            doc="the value that ends the answer: errors before it are history",
            example={"where": {"/type": "turn.completed"}},
        ),
        Field(
            name="text",
            shape=ListOf(
                item=ObjectOf(
                    fields=(
                        WHERE,
                        _pointer("pointer", "where the text lies", "/result", required=True),
                        Field(
                            name="take",
                            shape=Choice(words.TEXT_TAKES),
                            doc="all matches joined by a newline, or the last",
                            example="last",
                            default="`all`",
                        ),
                    )
                ),
            ),
            required=True,
            doc="where the review's text is; selectors are tried in order",
            example=[{"pointer": "/result"}],
        ),
        Field(
            name="error",
            shape=ListOf(
                item=ObjectOf(
                    fields=(
                        WHERE,
                        _pointer("message", "where the message lies", "/error/message"),
                        _pointer("status", "where an HTTP status lies", "/api_error_status"),
                    )
                )
            ),
            doc="how a failure announces itself",
            example=[{"where": {"/is_error": True}, "message": "/result"}],
        ),
        Field(
            name="usage",
            shape=ObjectOf(
                fields=(
                    WHERE,
                    _pointer(
                        "inputTokens", "where the tokens that went in are counted", "/usage/input_tokens"
                    ),
                    _pointer(
                        "outputTokens", "where the tokens that came out are counted", "/usage/output_tokens"
                    ),
                    _pointer("costUsd", "where the cost in US dollars stands", "/total_cost_usd"),
                )
            ),
            nullable=True,
            doc="where tokens and cost are counted",
            example={"inputTokens": "/usage/input_tokens"},
        ),
        Field(
            name="model",
            shape=ObjectOf(
                fields=(WHERE, _pointer("pointer", "where the name lies", "/model", required=True))
            ),
            nullable=True,
            doc="where the tool says which model answered",
            example={"pointer": "/model"},
        ),
    ),
)
