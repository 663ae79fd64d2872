"""Everything validation can say, one template each; `say` fills one in."""

from typing import NamedTuple

from msd_review.manifest.problems import WARNING_CODES, Problem


class Template(NamedTuple):
    """`{…}` are filled in by whoever says it; a code of "" is given by the place it is said at."""

    code: str
    message: str
    hint: str


TEMPLATES: dict[str, Template] = {
    "missing": Template("", "`{name}` is missing", "{why}"),
    "wrong": Template("", "`{name}` must be {expected}, not {found}", "{why}"),
    "unknown": Template("", "unknown field `{name}`", "{advice}"),
    "file": Template("json.invalid", "the manifest cannot be read: {what}", "a manifest is a regular file"),
    "syntax": Template(
        "json.invalid",
        "line {line}, column {column}: {what}",
        "the file must hold one JSON object; comments and trailing commas are not JSON",
    ),
    "encoding": Template("json.invalid", "byte {offset} is not UTF-8", "save the file as UTF-8"),
    "wide encoding": Template("json.invalid", "the file is {encoding}, not UTF-8", "save the file as UTF-8"),
    "not finite": Template(
        "json.invalid", "NaN, Infinity and numbers beyond 1.8e308 are not JSON", "write a finite number"
    ),
    "long number": Template(
        "json.invalid", "an integer of {digits} digits", "write a number that JSON readers hold exactly"
    ),
    "surrogate": Template(
        "json.invalid",
        "a string holds half of a surrogate pair",
        "write the whole pair (\\ud83d\\ude00) or the character itself",
    ),
    "deep": Template(
        "json.invalid", "nested deeper than {limit} levels", "no field of a manifest nests as deep as this"
    ),
    "duplicate key": Template(
        "json.duplicate_key",
        "the key `{name}` stands twice in one object",
        "readers disagree on which of the two counts: keep one",
    ),
    "too large": Template("json.too_large", "larger than {limit} bytes", "a manifest is a few kilobytes"),
    "not object": Template(
        "json.not_object", "a manifest is a JSON object, not {found}", "start with {{ and end with }}"
    ),
    "id folder": Template(
        "envelope.id_folder",
        "`id` is {id}, but its folder is named {folder}",
        "name the folder like the id: consent and removal go by it",
    ),
    "id prefix": Template(
        "envelope.id_reserved",
        "an id that starts with `{prefix}` is reserved",
        "choose an id with another beginning, your own name for one",
    ),
    "id windows": Template(
        "envelope.id_reserved",
        "`{name}` is a device on Windows, where no folder can bear that name",
        "choose another id",
    ),
    "role forbidden": Template(
        "role.forbidden", "`{name}` has no place in a manifest of role `{role}`", "{why}"
    ),
    "role body": Template("role.body_missing", "a manifest of role `{role}` needs `{name}`", "{why}"),
    "engines range": Template(
        "engines.range",
        "`{name}` must be an npm-style range, not {found}",
        'for example ">=1.9.0 <3.0.0" or "^1.9.0"; leave it out where any version will do',
    ),
    "engines incompatible": Template(
        "engines.incompatible",
        "needs a manifest contract of {range}; this msd has {host}",
        "{way_out}",
    ),
    "requires unknown": Template(
        "requires.unknown", "`requires` names `{name}`, which is not there", "install it, or leave it out"
    ),
    "requires cycle": Template(
        "requires.cycle", "`requires` goes in a circle: {circle}", "one of them must do without the next"
    ),
    "requires tier": Template(
        "requires.tier",
        "tier `{tier}` requires `{name}`, whose tier is `{other}`",
        "`core` may require `core` alone, and `standard` never `full`",
    ),
    "slug reserved": Template(
        "lane.slug", "`slug` must not be {found}: {reason}", "choose another name for the lane"
    ),
    "flag repeated": Template("lane.flag", "the flag `{flag}` stands twice", "name each flag once"),
    "flag taken": Template(
        "lane.flag",
        "`{flag}` is an option of `msd review` itself",
        "choose a flag of your own, such as `--{slug}`",
    ),
    "transport mix": Template(
        "lane.transport_mix",
        "`{name}` is for `{other}` lanes, and this one's transport is `{transport}`",
        "remove it, or change `transport`",
    ),
    "transport unclear": Template(
        "lane.transport_mix",
        "`invoke` has fields of both transports: {spawn} and {http}",
        "keep those of one transport",
    ),
    "output arg needed": Template(
        "lane.output_arg",
        "`outputArg` is needed because `outputChannel` is `file-arg`",
        'name the argument that takes the file\'s path, such as "-o"',
    ),
    "output arg idle": Template(
        "lane.output_arg",
        "`outputArg` has no meaning because `outputChannel` is not `file-arg`",
        'remove it, or write `"outputChannel": "file-arg"`',
    ),
    "output map needed": Template(
        "lane.missing",
        "`outputMap` is needed because `outputFormat` is `{format}`",
        'say where the review\'s text is, such as {{"text": [{{"pointer": "/result"}}]}}',
    ),
    "output map idle": Template(
        "lane.value",
        "`outputMap` has no meaning because `outputFormat` is `text`",
        'remove it, or write `"outputFormat": "json"`',
    ),
    "binary path": Template(
        "lane.value",
        "`{name}` must be a bare name or an absolute path, not {found}",
        "a bare name is looked up on PATH; the folder under review never counts",
    ),
    "probe foreign": Template(
        "lane.probe",
        "`{name}` has no place in a probe of kind `{kind}`",
        "remove it; it belongs to {others}",
    ),
    "probe host": Template(
        "lane.probe",
        "the probe's `hostConfigKey` is {found}, but the lane's is {expected}",
        "use the lane's own: nothing is contacted that consent did not name",
    ),
    "env name": Template(
        "lane.env",
        "{found} is no name of an environment variable",
        "letters, digits and `_`, not starting with a digit",
    ),
    "env denied": Template(
        "lane.env_denied",
        "`{name}` may not be set by a lane: it can make the child run other code, or send it elsewhere",
        "leave it to the user's own environment",
    ),
    "handler unknown": Template(
        "lane.unknown_handler",
        "the handler `{name}` is not known to this version: the lane will be unavailable",
        "{advice}",
    ),
    "handler transport": Template(
        "lane.handler_transport",
        "the handler `{name}` is not for `{transport}` lanes: the lane cannot be planned",
        'use it with {transports}, or write `"handler": null`',
    ),
    "key undeclared": Template(
        "lane.key_undeclared",
        "`{name}` names the key `{key}`, which nobody declares",
        "declare it in `config`, or users cannot set it",
    ),
    "placeholder needed": Template(
        "lane.placeholder",
        "`args` has no `{placeholder}`, though {reason}: the lane cannot be planned",
        'put "{placeholder}" where the argument belongs',
    ),
    "placeholder model": Template(
        "lane.placeholder",
        "`args` has no `{{{{model}}}}`, though `modelArg` is given: a configured model never arrives",
        'put "{{{{model}}}}" where the argument belongs',
    ),
    "config entry": Template("config.type", "`{name}` must be {expected}, not {found}", "{why}"),
    "config type": Template(
        "config.type", "the key `{key}` needs a `type`: {expected}, not {found}", "{why}"
    ),
    "config default": Template(
        "config.default", "the default of `{key}` must be {expected}, not {found}", "{why}"
    ),
    "config values": Template(
        "config.values", "`values` of `{key}` must be {expected}, not {found}", "name every value it may have"
    ),
    "config values idle": Template(
        "config.values", "`values` of `{key}` has no meaning because its type is not `enum`", "remove it"
    ),
    "config description": Template(
        "config.description",
        "the key `{key}` needs a `description`: a non-empty string, not {found}",
        "one sentence that `msd config list` shows",
    ),
    "config key": Template(
        "config.key",
        "{found} is no configuration key",
        'words of letters, digits, `_` and `-`, joined by dots, such as "review.models.acme"',
    ),
    "config nested": Template(
        "config.key", "`{key}` would be a value and an object at once: `{inner}` lies inside it", "rename one"
    ),
    "config central": Template(
        "config.owned", "`{key}` belongs to msd itself", "name the key for your capability"
    ),
    "config owned": Template(
        "config.owned", "the key `{value}` is declared by {owners}", "a key has one owner: rename it"
    ),
    "merge id": Template("merge.id", "the id `{value}` is taken by {owners}", "rename one of them"),
    "merge slug": Template("merge.slug", "the slug `{value}` is taken by {owners}", "rename one of them"),
    "merge flag": Template("merge.flag", "the flag `{value}` is taken by {owners}", "rename one of them"),
    "merge section": Template(
        "merge.section",
        "the section `{value}` is taken by {owners}",
        "rename one: two reviewers under one heading would look like one",
    ),
    "merge skill": Template(
        "merge.skill", "the skill `{value}` is declared by {owners}", "rename one of them"
    ),
    "merge agent": Template(
        "merge.agent", "the agent `{value}` is declared by {owners}", "rename one of them"
    ),
    "merge artifact": Template(
        "merge.artifact",
        "`{value}` is produced by {owners}",
        "one of the steps must write another file, or move to another point",
    ),
    "runtime alias": Template(
        "runtime.alias",
        "`hostBehaviors.reviewerCli` is deprecated, and names a lane that cannot run",
        "declare a `reviewer` body instead; the alias goes with the next release",
    ),
    "activation": Template(
        "feature.activation",
        "`activationKey` must be a key that `config` declares, not {found}",
        "declare the key, or leave `activationKey` out",
    ),
    "ref count": Template(
        "feature.ref", "`ref` must name exactly one of `skill`, `agent` and `command`", "{found}"
    ),
    "ref undeclared": Template(
        "feature.ref", "the {kind} {found} is not declared in `{kind}s`", "declare it, or name another"
    ),
    "ref foreign": Template(
        "feature.ref", "the skill {found} belongs to msd itself", "name a skill of this capability"
    ),
    "check count": Template(
        "feature.gate", "`check` must hold exactly one of `query`, `predicate` and `agentVerdict`", "{found}"
    ),
    "verdict blocks": Template(
        "feature.gate",
        "a gate on `agentVerdict` must not be `blocking`",
        "an agent's opinion may warn; what blocks must be checkable",
    ),
    "when undeclared": Template(
        "feature.when",
        "`when` must be a key that `config` declares, not {found}",
        "declare the key, or leave `when` out",
    ),
    "fragment count": Template(
        "feature.fragment", "a fragment has exactly one of `path` and `inline`", "{found}"
    ),
    "fragment path": Template(
        "feature.fragment",
        "the fragment's path must stay inside the capability, not {found}",
        "write it relative to capability.json, with `/` and without `..`",
    ),
    "fragment file": Template(
        "feature.fragment",
        "the fragment {found} {what}",
        "put a regular file of at most 8 MiB there",
    ),
    "trait": Template(
        "feature.trait",
        "`supportsReviewerLanes` must be `true` or absent, not {found}",
        "write the literal `true`",
    ),
    "into": Template(
        "feature.into", "`into` must be {expected} at `{point}`, not {found}", "the point decides who listens"
    ),
    "reserved name": Template(
        "", "`{name}` is a reserved name", "manifests are shared with JavaScript: rename it"
    ),
    "feature cycle": Template(
        "feature.cycle",
        "steps at `{point}` wait for each other: {circle}",
        "let one of them not consume what the other produces",
    ),
}


def say(name: str, at: str, /, *, code: str = "", **parts: object) -> Problem:
    """The problem that template `name` makes at the pointer `at`."""
    template = TEMPLATES[name]
    code = template.code or code
    return Problem(
        code=code,
        path=at,
        message=template.message.format_map(parts),
        hint=template.hint.format_map(parts) or None,
        is_warning=code in WARNING_CODES,
    )
