"""`python -m msd_review` is `msd`."""

from msd_review.cli.entry import main

if __name__ == "__main__":
    main()
