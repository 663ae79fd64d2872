"""A tool that waits for a person to log in, told from one that talks about logging in."""

import pytest

from msd_review.run.login_prompts import login_prompt

ASKS = [
    "Opening authentication page in your browser. Do you want to continue? [Y/n]:",
    "Opening authentication page in your browser. Do you want to continue? [Y/n]: ",
    "\x1b[?25h\x1b[1mOpening authentication page in your browser.\x1b[0m\r\nDo you want to continue? [Y/n]:",
    "Invalid auth method selected.\n",
    "Please set an Auth method in your /home/x/.gemini/settings.json\n",
    "Waiting for authentication... (Press Esc to cancel)",
    "Enter the authorization code: ",
    "Paste your API key:",
    "Username: me\nPassword:",
    "You are not signed in. Sign in now? (y/N) ",
    "? Log in to continue ›\nWould you like to authenticate now? (Y/n)",
    "Please visit the following URL to authorize the application:\n\nhttps://example.com/o/oauth2?x=1\n\nEnter the authorization code: ",
    "Go to this page to log in: https://example.com/device and enter code ABCD-EFGH\n",
    "Press Enter to open accounts.example.com in your browser...",
    "Waiting for login...\n",
]
TALKS = [
    "",
    "The login page at src/login.py:12 has no rate limit.\n",
    "## Concerns\n- HIGH: the password is logged (`auth.py:3`)\n",
    "Do you want to continue? [Y/n]: y\nReading the plan\n",
    "Invalid auth method handling is missing in plan 03.\n" + "More text follows.\n" * 30,
    "Loaded cached credentials.\n",
    "Opening authentication page in your browser\ndone\nlogged in\nnow reviewing\nthe plan\n" + "x\n" * 5,
    "- MEDIUM: which credentials does the worker use\n- LOW: naming\n",
    "thinking...\n",
    "## Summary\nThe plan adds an endpoint that checks the password:",
    "- HIGH: where is the API key?",
    "Opening authentication page in your browser\nAuthentication succeeded\n",
    "Which of these credentials:",
]


@pytest.mark.parametrize("text", ASKS)
def test_a_question_at_the_end_is_recognised(text: str) -> None:
    assert login_prompt(text.encode()) is not None


@pytest.mark.parametrize("text", TALKS)
def test_a_review_that_talks_about_logging_in_is_not(text: str) -> None:
    assert login_prompt(text.encode()) is None


def test_any_bytes_can_be_looked_at() -> None:
    assert login_prompt(bytes(range(256)) * 100) is None
    assert login_prompt(b"password " * 1000) is None
