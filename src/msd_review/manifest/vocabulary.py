"""The closed lists of the manifest contract, and the patterns of its names.

Every pattern is matched against the whole string. Nothing here is compiled or computed: other
stages import these names on start-up.
"""

ROLES = ("feature", "runtime", "reviewer")
TIERS = ("core", "standard", "full")
RESERVED_ID_PREFIXES = ("msd-", "msd-core-", "anthropic-")
RESERVED_JS_NAMES = ("__proto__", "constructor", "prototype")
WINDOWS_NAMES = (
    "con", "prn", "aux", "nul",
    "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
    "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
)  # fmt: skip

ID_PATTERN = r"[a-z][a-z0-9-]*"
SLUG_PATTERN = r"[a-z0-9][a-z0-9_-]*"
FLAG_PATTERN = r"--[a-z0-9][a-z0-9-]*"
HANDLER_PATTERN = r"[a-z][a-z0-9-]*"
ENV_NAME_PATTERN = r"[A-Za-z_][A-Za-z0-9_]*"
CONFIG_KEY_PATTERN = r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*"
STEM_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._-]*"
POINTER_PATTERN = r"(/([^~/]|~[01])*)*"
HOOK_SCRIPT_PATTERN = r"[A-Za-z0-9._/-]+"
COMMAND_MODULE_PATTERN = r"[A-Za-z0-9._-]+\.cjs"
INTEGRITY_PATTERN = r"sha512-[A-Za-z0-9+/]{86}=="
SEMVER_PATTERN = (
    r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    r"(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?"
)

TRANSPORTS = ("spawn", "openai-http")
PROMPT_CHANNELS = ("stdin", "argv", "argv-file-ref", "none")
OUTPUT_CHANNELS = ("stdout", "file-arg")
OUTPUT_FORMATS = ("text", "json", "json-lines")
EFFORT_CHANNELS = ("none", "argv", "env")
EFFORT_LEVELS = ("minimal", "low", "medium", "high", "xhigh", "max", "inherit")
POSTURES = ("read-only", "unrestricted")
EMPTY_OUTPUTS = ("stub-with-stderr", "handler-owned")
EVIDENCE_CLASSES = ("source-grounded", "diff-only")
MODEL_DISCOVERIES = ("none", "first-from-models-endpoint")
PROBE_KINDS = ("command-exists", "command-capability", "http-reachable")
PLACEHOLDERS = ("{{model}}", "{{effort}}", "{{output}}", "{{prompt}}", "{{nativeTimeout}}")
LEVEL_PLACEHOLDER = "{{level}}"
TEXT_TAKES = ("all", "last")

# handler → the transports whose lanes it can run
HANDLER_TRANSPORTS = {
    "antigravity": ("spawn",),
    "openai-compatible": ("openai-http",),
    "opencode": ("spawn",),
}

# Names that turn a variable into code that runs; compared upper-cased.
DENIED_ENV = (
    "PATH", "NODE_OPTIONS", "NODE_REPL_EXTERNAL_MODULE", "NODE_PATH", "LD_PRELOAD", "LD_AUDIT",
    "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "PYTHONSTARTUP", "PYTHONPATH",
    "PYTHONHOME", "BASH_ENV", "ENV", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
    "CLASSPATH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_SSH", "PERL5LIB", "RUBYLIB",
    "JDK_JAVA_OPTIONS", "SHELLOPTS", "ZDOTDIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "HOME",
)  # fmt: skip
DENIED_ENV_PREFIXES = ("GIT_CONFIG_",)
DENIED_ENV_SUFFIXES = ("_PROXY",)
WARNED_ENV_SUFFIXES = ("_BASE_URL", "_HOST")

# Options of `msd`, `msd review` and `msd code-review`: no lane may claim one.
RESERVED_FLAGS = (
    "--accept-disclosure", "--all", "--allow-secret", "--base", "--baseline", "--budget", "--color",
    "--debug", "--depth", "--dry-run", "--effort", "--exclude", "--fail-on", "--format", "--head",
    "--help", "--import", "--in-place", "--internal", "--isolate", "--jobs", "--json",
    "--keep-agent-config", "--lane", "--max-cycles", "--model", "--no-color", "--output", "--phase",
    "--quiet", "--replan", "--resume", "--resume-run", "--retry-failed", "--run", "--scope", "--staged",
    "--timeout", "--verbose", "--version", "--workers", "--yes",
)  # fmt: skip

CONFIG_TYPES = ("boolean", "string", "number", "enum")
# Policy across lanes: owned by msd itself, never by a capability.
CENTRAL_CONFIG_KEYS = (
    "capabilities.strict_known_registries", "plan_review.source_grounding", "review.default_reviewers",
    "review.env_policy", "review.excluded_reviewers", "review.fail_on", "review.max_parallel",
    "review.max_prompt_tokens", "review.parallel_per_provider", "review.reviewer_instances",
)  # fmt: skip
CENTRAL_CONFIG_FAMILIES = ("review.api_key_env.",)
BUDGET_KEY_PREFIX = "review.max_prompt_tokens_per_reviewer."

LOOP_POINTS = (
    "discuss:pre", "discuss:post", "plan:pre", "plan:post", "execute:pre", "execute:wave:pre",
    "execute:wave:post", "execute:post", "verify:pre", "verify:post", "ship:pre", "ship:post",
)  # fmt: skip
STEP_REFS = ("skill", "agent", "command")
GATE_CHECKS = ("query", "predicate", "agentVerdict")
ON_ERROR = ("skip", "halt")
# first word of a loop point → who a contribution there may speak to
CONTRIBUTION_TARGETS = {
    "discuss": ("orchestrator",),
    "plan": ("researcher", "planner", "checker"),
    "execute": ("executor", "verifier"),
    "verify": ("orchestrator",),
    "ship": ("orchestrator",),
}
FEATURE_ONLY_FIELDS = ("skills", "agents", "steps", "contributions", "gates", "hooks", "activationKey")

CONFIG_HOME_KINDS = ("dot-home", "dot-home-nested", "xdg", "generic-agents-root")
CONFIG_FORMATS = ("settings-json", "toml", "markdown", "markdown-dir", "none")
ARTIFACT_KINDS = ("skills", "commands", "agents")
NESTINGS = ("flat", "nested")
COMMAND_STYLES = ("slash-hyphen", "shell-var")
HOOKS_SURFACES = (
    "settings-json", "codex-hooks-json", "cursor-hooks-json", "copilot-inline", "cline-rules",
    "kimi-hooks-toml", "none",
)  # fmt: skip
SANDBOX_TIERS = ("none", "codex-agent-sandbox")
SUPPORT_TIERS = (1, 2)
INSTALL_SURFACES = (
    "settings-json", "codex-toml", "copilot-instructions", "cline-rules", "cursor-hooks-json",
    "profile-marker-only",
)  # fmt: skip
PERMISSION_WRITERS = ("opencode", "kilo", "antigravity")
EXTENDED_HOOK_EVENTS = (
    "SubagentStop", "Stop", "PreCompact", "FileChanged", "BeforeAgent", "AfterAgent", "BeforeModel",
    "SubagentStart",
)  # fmt: skip

MANIFEST_NAME = "capability.json"
MAX_MANIFEST_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 64
MAX_RANGE_LENGTH = 256
# The largest integer that every JSON reader holds exactly.
MAX_INTEGER = 2**53 - 1
