"""The rules by which secrets are found: data alone."""

import re

from msd_review.lazy import regex

# (module of detect-secrets, its detector, what a line holds where it can find anything: one of these in lower case,
# and a match of this: most plans never load it). Not used: those for high entropy, keywords and public addresses.
# Replaced below: the rules for private keys (plans name a key's header without having a key), for OpenAI (it knows
# only old keys) and for web tokens (it loses the signature).
PLUGINS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("artifactory", "ArtifactoryDetector", ("akc", "ap0", "ap1", "ap2", "ap3", "ap4", "ap5", "ap6", "ap7", "ap8", "ap9"), r"\bA(?:KC|P[\dA-F])[A-Za-z0-9]{8}"),
    ("aws", "AWSKeyDetector", ("akia", "asia", "abia", "acca", "a3t", "aws"), r"A[A-Z0-9]{19}|(?i:aws).{0,60}['\x22][A-Za-z0-9/+]{40}"),
    ("azure_storage_key", "AzureStorageKeyDetector", ("accountkey=",), ""),
    ("basic_auth", "BasicAuthDetector", ("@",), r"://[^\s/:@]{0,100}:[^\s/@]{1,200}@"),
    ("cloudant", "CloudantDetector", ("cloudant",), r"cloudant\.com|[\x22'][a-z0-9]{24,64}"),
    ("discord", "DiscordBotTokenDetector", ("discord", "bot", "token"), r"[MNO][\w-]{23,25}\.[\w-]{6}\."),
    ("github_token", "GitHubTokenDetector", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), ""),
    ("gitlab_token", "GitLabTokenDetector", ("glpat", "gldt", "glft", "glsoat", "glrt", "gr1348941", "glcbt", "glimt", "glptt", "glagent", "gloas"), ""),
    ("ibm_cloud_iam", "IbmCloudIamDetector", ("ibm", "iam", "cloud"), r"(?i:key|pwd|pass|password|token)\W{1,6}[\w-]{44}"),
    ("ibm_cos_hmac", "IbmCosHmacDetector", ("secret",), r"[a-f0-9]{48}"),
    ("mailchimp", "MailchimpDetector", ("-us",), r"[0-9a-z]{32}-us\d"),
    ("npm", "NpmDetector", ("_authtoken",), ""),
    ("pypi_token", "PypiTokenDetector", ("pypi-",), ""),
    ("sendgrid", "SendGridDetector", ("sg.",), ""),
    ("slack", "SlackDetector", ("xox", "hooks.slack"), ""),
    ("softlayer", "SoftlayerDetector", ("softlayer", "sl_", "sl-", "slapi"), r"[a-z0-9]{64}"),
    ("square_oauth", "SquareOAuthDetector", ("sq0",), ""),
    ("stripe", "StripeDetector", ("k_live",), ""),
    ("telegram_token", "TelegramBotTokenDetector", (":aa",), r"\d{8,10}:[\w-]{35}"),
    ("twilio", "TwilioKeyDetector", ("ac", "sk"), r"(?:AC|SK)[a-z0-9]{32}"),
)  # fmt: skip

# Detectors whose secret is the first group of their pattern.
SECRET_IN_GROUP = frozenset(
    {"Basic Auth Credentials", "IBM Cloud IAM Key", "IBM COS HMAC Credentials", "SoftLayer Credentials"}
)
# Detectors whose pattern words meet too: what they find must be random.
EASILY_MET = SECRET_IN_GROUP | {"Artifactory Credentials", "Mailchimp Access Key"}

# (what it is, what a line holds where it can match, the rule)
OUR_RULES: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("web token", "eyj", regex(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}")),
    ("anthropic key", "sk-ant-", regex(r"\bsk-ant-[a-z]{3,6}\d{2}-[A-Za-z0-9_-]{40,}")),
    ("openai key", "sk-", regex(r"\bsk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,}|\bsk-[A-Za-z0-9]{48}\b")),
    ("openrouter key", "sk-or-", regex(r"\bsk-or-v1-[a-f0-9]{64}\b")),
    ("google api key", "aiza", regex(r"\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),
    ("google oauth token", "ya29.", regex(r"\bya29\.[A-Za-z0-9_-]{40,}")),
    ("google oauth secret", "gocspx-", regex(r"\bGOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])")),
    ("github token", "github_pat_", regex(r"\bgithub_pat_[A-Za-z0-9_]{60,}")),
    ("hugging face token", "hf_", regex(r"\bhf_[A-Za-z]{34}\b|\bhf_[A-Za-z0-9]{34}\b")),
    ("groq key", "gsk_", regex(r"\bgsk_[A-Za-z0-9]{40,}\b")),
    ("xai key", "xai-", regex(r"\bxai-[A-Za-z0-9]{70,}\b")),
    ("slack token", "xapp-", regex(r"\bxapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{40,}")),
    ("slack token", "xox", regex(r"\bxox[bpe](?:\.xox[bp])?-\d-[A-Za-z0-9-]{100,}")),
    ("npm token", "npm_", regex(r"\bnpm_[A-Za-z0-9]{36}\b")),
    ("digitalocean token", "_v1_", regex(r"\bdo[opr]_v1_[a-f0-9]{64}\b")),
    ("vault token", "hv", regex(r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}")),
    ("shopify token", "shp", regex(r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b")),
    ("linear key", "lin_api_", regex(r"\blin_api_[A-Za-z0-9]{40}\b")),
    ("databricks token", "dapi", regex(r"\bdapi[a-f0-9]{32}(?:-\d)?\b")),
    ("atlassian token", "atatt3", regex(r"\bATATT3[A-Za-z0-9_=-]{100,}")),
    ("age key", "age-secret-key", regex(r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b")),
    ("stripe webhook secret", "whsec_", regex(r"\bwhsec_[A-Za-z0-9+/=]{32,}")),
)  # fmt: skip

# Every secret but a password in an address holds so long a run of characters.
LONG_RUN = regex(r"[A-Za-z0-9+/_=.-]{16}")

PRIVATE_KEY = regex(r"-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----")
# A key's body is lines of base64 behind its header (behind escaped newlines too); a header alone is talk about keys.
KEY_BODY = regex(r"(?:\s|\\[nr])*(?:[A-Za-z-]{1,30}: [^\n\\]{0,100}(?:\s|\\[nr])+){0,4}[A-Za-z0-9+/=]{40,}")

# One of these is in every line that the next rule can match.
ASSIGNED_WORDS = ("key", "secret", "token", "passw", "passphrase", "credential")
ASSIGNMENT = regex(
    r"(?<![\w.-])(?P<name>[\w.-]{0,40}?(?:api[_-]?key|apikey|secret|token|passw(?:or)?d|passphrase|private[_-]?key|access[_-]?key|auth[_-]?key|credential)[\w-]{0,24})"
    r"[\"'`\]]{0,2}\s{0,4}(?:=>|:=|={1,3}|:)\s{0,4}[\"'`]?(?P<value>[A-Za-z0-9+/_.~=-]{16,200})(?![\w(\[/])",
    re.IGNORECASE,
)
NAMES_OF_NO_SECRET = regex(
    r"hash|sha\d|checksum|digest|commit|integrity|fingerprint|_?id$|public|limit|count|budget|tokens\b|tokeni[sz]|length|size|name$|path$|file$|url$|uri$|type$|field|column|expir|ttl|prefix|regex|pattern|header|scope|csrf|page",
    re.IGNORECASE,
)
PLACEHOLDER = regex(
    r"example|sample|dummy|fake|placeholder|changeme|change_me|redacted|your[_-]?|my[_-]?(?:secret|key|token|pass)|insert|todo|xxx|\*\*\*|\.\.\.|abcdef(?:gh|12)|(?<!\d)0?123456|987654|deadbeef|foobar|(.)\1{5}"
    r"|eyJzdWIiOiIxMjM0NTY3ODkwI|process\.env|os\.environ|getenv|env\.|secrets\.|config\.|settings\.|<|\$\{|\{\{|%s",
    re.IGNORECASE,
)
HARMLESS_HOSTS = regex(
    r"(?:localhost|127\.|0\.0\.0\.0|\[::1\]|host\b|hostname|db\b|database|postgres|mysql|redis|mongo|rabbitmq|server\b|[\w.-]*\.(?:example|test|invalid|local)\b|[\w.-]*example\.)",
    re.IGNORECASE,
)
