"""One token read as a place: a path with or without lines or a symbol, or a plan's shorthand."""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from msd_review.lazy import regex
from msd_review.review.line_words import ranges_in


def _words(listed: str) -> list[str]:
    return listed.split()


_EXTENSIONS = frozenset(
    _words("""adoc asm astro avsc awk axaml bash bat bazel bib bzl c cc cfg cjs clj cljs cmake cmd conf config cpp cs csproj css csv cts cu
    cue cxx d dart db diff dockerfile dts ejs el elm env erb erl ex exs f90 fish fs fsproj gd glsl go gql gradle graphql groovy
    gitignore h haml hbs hcl heex hh hpp hrl hs htm html http hxx ini ino ipynb j2 java jinja jinja2 jl js json json5 jsonc jsonl jsx
    kt kts less lhs liquid lock log lua m make mako markdown md mdc mdx metal mf mjs mk ml mli mm mod mts mustache nim nix njk nu
    org pas patch php pl plist pm po pom ps1 psd1 psm1 prisma proto pug puml py pyi pyx r rake rb rego res rkt robot rs rst sass sbt
    scala scm scss sh sln slint sol sql sum svelte svg swift tcl template tera tex tf tfvars thrift tmpl toml ts tsv tsx twig txt v vb
    vcxproj vert frag vhd vim vue wasm wat wgsl wit xaml xcconfig xib xml xsd xsl yaml yml zig zon zsh png jpg gif ico webp pdf
    gemspec snap golden asi dll so m3d properties service""")
)  # fmt: skip
_BARE_NAMES = frozenset(
    _words("""makefile dockerfile license licence changelog readme gemfile rakefile procfile justfile vagrantfile jenkinsfile brewfile podfile
    cmakelists codeowners containerfile .gitignore .gitattributes .dockerignore .editorconfig .env .npmrc .nvmrc .prettierrc .eslintrc
    .babelrc .gitmodules .envrc .tool-versions .python-version .clang-format .clang-tidy .flake8 go.mod go.sum""")
)  # fmt: skip
_BARE_NEEDS_CASE = frozenset(
    {
        "license",
        "licence",
        "changelog",
        "readme",
        "makefile",
        "dockerfile",
        "cmakelists",
        "codeowners",
        ".env",
    }
)
_ENVIRONMENT = regex(r"\.env(?:\.[\w-]{1,30}){1,2}")
# Names of products, not files, unless a folder or a line says otherwise.
_PRODUCTS = regex(r"(?:node|vue|next|nuxt|three|express|d3|chart|ember|backbone|react|angular|moment|alpine|discord|socket|deno|nest|solid|p5|require|asp|vb|ml|ado)\.(?:js|ts|io|net)", re.IGNORECASE)  # fmt: skip

_PATH = r"(?:[A-Za-z]:[/\\])?[\w@.+~#$%&=()\[\]\\/ -]{1,380}?"
_LINES = r"[L~]{0,2}(?P<line>\d{1,15})(?:C\d{1,5})?(?:(?:[-–—]|\.\.=?|-L|–L)L?(?P<end>\d{1,15})(?:C\d{1,5})?)?(?:ff?\b\.?)?"
_TAIL = rf"(?:(?::|#|:#|@){_LINES}\+?(?::\d{{1,5}}(?:-\d{{1,5}})?)?(?P<more>(?:\s?,\s?:?L?\d{{1,7}}(?:[-–]L?\d{{1,7}})?){{0,20}})|::(?P<symbol>[A-Za-z_][\w.:<>\[\]-]{{0,160}})(?:\(\))?|\s\(?(?:lines?|L)\s?{_LINES.replace('line>', 'line2>').replace('end>', 'end2>')}\)?)?"
_TOKEN = regex(rf"(?P<path>{_PATH}){_TAIL}", re.ASCII)
_WIDE_TOKEN = regex(rf"(?P<path>{_PATH}){_TAIL}")
# Scripts without spaces: what stands right before or behind a path in them is a sentence, unless it is a name itself.
_WIDE = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_GLUED_BEFORE = regex(rf"\A{_WIDE}{{1,120}}(?=[A-Za-z0-9_.][\x21-\x7e]{{0,380}}/[\x21-\x7e]{{1,200}}\Z)")
_GLUED_BEHIND = regex(rf"(?<=[A-Za-z0-9]){_WIDE}{{1,120}}\Z")
_ASCII_RUN = regex(r"[A-Za-z0-9_.@~][\w./\\@~+-]{0,300}?\.[A-Za-z][A-Za-z0-9]{0,11}(?::L?\d{1,7}(?:[-–]\d{1,7})?)?(?![A-Za-z0-9_/.-])", re.ASCII)  # fmt: skip
_UNDERLINED = regex(r"\A(?P<mark>_{1,2})(?P<inside>[^_].*[^_])(?P=mark)\Z")
_BLOB = regex(
    r"\Ahttps?://[^/\s]{1,120}/(?:[^/\s]{1,80}/){2,6}?(?:-/)?(?:blob|src|raw|tree|blame)/(?:(?:branch|commit)/)?[^/\s]{1,100}/(?P<path>[^\s#?]{1,400})(?:\?[^#\s]{0,100})?(?:#L(?:ine)?s?-?(?P<lines>\d{1,7}(?:-L?\d{1,7})?))?",
    re.IGNORECASE,
)
# Bitbucket's and Azure's own ways: `#lines-10:25`, `?line=10&lineEnd=25`.
_QUERY = regex(
    r"(?:#lines-(?P<one>\d{1,7})(?::(?P<two>\d{1,7}))?|[?&]line=(?P<from>\d{1,7})(?:&lineEnd=(?P<to>\d{1,7}))?[^\s#]{0,80})\Z"
)
_TWICE = regex(r"(?P<path>[^\s:]{1,380}):L?(?P<line>\d{1,7})[-–](?P=path):L?(?P<end>\d{1,7})")
_SHORTHAND = regex(
    r"(?P<plan>\d{1,3}[a-z]?(?:\.\d{1,2})?-\d{2,3}[a-z]?)(?P<file>-PLAN(?:\.md)?)?:(?P<line>\d{1,5})(?:[-–](?P<end>\d{1,5}))?(?P<more>(?:,\s?\d{1,5}(?:[-–]\d{1,5})?){0,20})"
)
_EXTENSION = regex(r"\.(?P<extension>[A-Za-z][A-Za-z0-9]{0,11})$")
_CONTINUED = regex(r":L?(\d{1,7})(?:[-–]L?(\d{1,7}))?((?:,\s?:?\d{1,7}(?:[-–]\d{1,7})?){0,20})[.,;:]?")
_BARE_RANGE = regex(r"L?(\d{1,7})[-–]L?(\d{1,7})()")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A path as written (slashes normalised), with lines (1-based) or a symbol where given."""

    path: str
    line: int | None = None
    end_line: int | None = None
    symbol: str | None = None
    more: tuple[tuple[int, int | None], ...] = ()


def place_of(token: str) -> Place | None:
    """Read one token (or code span, or link target) as a place; None when it is none."""
    token = _bare(token)
    if not token or len(token) > 400:
        return None
    shorthand = _SHORTHAND.fullmatch(token)
    if shorthand:
        path = shorthand["plan"] + (shorthand["file"] or "")
        return _with_range(Place(path=path), shorthand["line"], shorthand["end"], shorthand["more"])
    if (
        "." not in token
        and "/" not in token
        and "\\" not in token
        and token.split(":")[0].lower() not in _BARE_NAMES
    ):
        return None
    twice = _TWICE.fullmatch(token)
    if twice:
        token = f"{twice['path']}:{twice['line']}-{twice['end']}"
    found = (_TOKEN if token.isascii() else _WIDE_TOKEN).fullmatch(token)
    if not found:
        return None
    line, end = found["line"] or found["line2"], found["end"] or found["end2"]
    path = _path(found["path"], anchored=bool(line or found["symbol"]))
    if path is None:
        return None
    if found["symbol"]:
        return Place(path=path, symbol=found["symbol"].replace("::", ".").rstrip("."))
    return _with_range(Place(path=path), line, end, found["more"])


def _as_range(found: re.Match[str]) -> str:
    first, last = found["one"] or found["from"], found["two"] or found["to"]
    return f":{first}-{last}" if last else f":{first}"


def blob_place(link: str) -> Place | None:
    """The file that a link to a code host's page of it shows: `https://…/blob/main/src/a.py#L4-L9`."""
    found = _BLOB.search(link)
    return (
        place_of(unquote(found["path"]) + (f":{found['lines']}" if found["lines"] else "")) if found else None
    )


def places_within(token: str) -> list[tuple[Place, int, int]]:
    """The places in a token of a script without spaces, each with its offsets in the token.

    >>> [(place.path, place.line) for place, _, _ in places_within("計画はsrc/a.go:10で")]
    [('src/a.go', 10)]
    """
    start = found.end() if (found := _GLUED_BEFORE.match(behind := _GLUED_BEHIND.sub("", token))) else 0
    whole = place_of(behind[start:])
    if whole is not None:
        return [(whole, start, len(behind))]
    runs = ((hit, place_of(hit.group())) for hit in _ASCII_RUN.finditer(token[:400]))
    return [(place, hit.start(), hit.end()) for hit, place in runs if place is not None]


def is_plan_shorthand(path: str) -> bool:
    """Whether a path is a plan's number such as "03-02"."""
    return re.fullmatch(r"\d{1,3}[a-z]?(?:\.\d{1,2})?-\d{2,3}[a-z]?", path) is not None


def _bare(token: str) -> str:
    token = token.strip().strip("\"'*").rstrip(".,;:!?…。、").lstrip("→↳⇒@:=").replace("†", ":")
    token = _QUERY.sub(_as_range, token)
    token = re.sub(r":-\d{1,9}\Z", "", token)  # no line has such a number; the file is cited
    token = _UNDERLINED.sub(r"\g<inside>", token)
    if token.startswith("file:"):
        token = unquote(re.sub(r"^file:/{2,3}(?:localhost/)?", "/", token))
    token = token[1:] if re.match(r"/[A-Za-z]:[/\\]", token) else token
    return re.sub(r"^(?:…|\.{3})[/\\]", "", token)


def _with_range(place: Place, line: str | None, end: str | None, more: str | None) -> Place:
    if not line or int(line) == 0:
        return place
    first, last = int(line), int(end) if end else None
    if last is not None and last < first:
        last = None
    return Place(
        path=place.path, line=first, end_line=last, symbol=place.symbol, more=tuple(ranges_in(more or ""))
    )


def _path(written: str, *, anchored: bool) -> str | None:
    path = written.replace("\\", "/").strip()
    if any(sign in path for sign in "*?<>{}$=&%#|") or "//" in path or path.startswith("-"):
        return None
    if " " in path and not (
        "/" in path and re.fullmatch(r"[^ ]{0,120}/[^/]{1,80}", path) and _EXTENSION.search(path)
    ):
        return None
    name = path.rstrip("/").rsplit("/", 1)[-1]
    if (
        name.lower() in _BARE_NAMES
        or _ENVIRONMENT.fullmatch(name)
        or name.lower().split(".")[0] in {"dockerfile", "makefile"}
        and "." not in name[:1]
    ):
        return (
            path
            if "/" in path
            or anchored
            or name.lower() not in _BARE_NEEDS_CASE
            or name[0].isupper()
            or name[0] == "."
            else None
        )
    extension = _EXTENSION.search(name)
    if extension is None:
        return path if _is_folder(path) or (anchored and "/" in path and _is_clean(path)) else None
    if not re.search(r"[^\W\d]", name[: extension.start()]) and not name.startswith("."):
        return path if "/" in path and extension["extension"].lower() in _EXTENSIONS else None
    known = extension["extension"].lower() in _EXTENSIONS
    if (
        "/" not in path
        and not anchored
        and (_PRODUCTS.fullmatch(path) or _is_member(path, extension["extension"]))
    ):
        return None
    if known or (anchored and "/" in path):
        return path if "(" not in path or "/" in path else None
    return None


def _is_member(path: str, extension: str) -> bool:
    """`Foo.d`, `self.c`, `config.env`: short extensions that are far more often members."""
    return extension.lower() in {"c", "d", "h", "m", "r", "v", "e", "db", "env", "log", "lock", "config", "service", "properties", "make", "template", "sum", "res", "mod", "el", "pl", "so", "http", "diff", "patch", "org", "po"} and (
        path[0].isupper() or path.split(".")[0] in {"self", "this", "ctx", "config", "process", "console", "req", "res", "math", "app", "cls", "os", "logger", "import", "meta"}
        or extension.lower() in {"db", "env", "log", "config", "service", "properties", "template", "sum", "res", "e", "org", "http", "make"}
    )  # fmt: skip


def _is_folder(path: str) -> bool:
    return path.endswith("/") and path.count("/") >= 2 and _is_clean(path) and not path.startswith("/")


def _is_clean(path: str) -> bool:
    return re.fullmatch(r"[\w./@+~-]{2,300}", path) is not None and not re.search(r":\d", path)


def continuation_lines(token: str, *, bare: bool) -> list[tuple[int, int | None]]:
    """`:350-355` alone (or, where `bare`, `86-88`): lines of the file named before."""
    token = token.strip()
    found = _CONTINUED.fullmatch(token) or (_BARE_RANGE.fullmatch(token) if bare else None)
    if not found or int(found[1]) == 0:
        return []
    return [(int(found[1]), int(found[2]) if found[2] else None), *ranges_in(found[3])]
