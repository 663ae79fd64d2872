"""msd: one review you can trust, from many reviewers."""

__version__ = "0.1.0"

# The version of the manifest contract that `engines.msd` ranges are tested against;
# it moves with the vocabulary of capability.json, not with this package's releases.
CONTRACT_VERSION = "1.12.0"

__all__ = ["CONTRACT_VERSION", "__version__"]
