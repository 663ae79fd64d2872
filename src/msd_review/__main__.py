"""`python -m msd_review` is `msd`."""

from msd_review.cli.entry import main

if __name__ == "__main__":
    try:
        main()
    finally:
        # `python -m` would end by SIGINT itself, whatever the exit code, once a Ctrl-C was caught in code that was
        # made from text, as that of every dataclass is; running any such code to its end makes it forget.
        eval("0")
