"""Real reviewer tools, driven through `msd review` in a sealed network namespace. Not part of `make test`."""
