"""Takes the prompt out of what a tool logged: some tools print all of it before they answer."""

_SHORT_LINE = 12


def without_echo(log: str, prompt: str) -> str:
    """The log without the prompt, whole or line by line (indented, cut, bulleted or not)."""
    if not prompt.strip() or not log.strip():
        return log
    left = log.replace(prompt.strip(), "")
    sent = {line.strip() for line in prompt.split("\n")}
    return "\n".join(line for line in left.split("\n") if not _is_echo(line.strip(), sent))


def _is_echo(line: str, sent: set[str]) -> bool:
    if len(line) < _SHORT_LINE:
        return False
    return line in sent or line.lstrip("\u2022*->| ").strip() in sent
