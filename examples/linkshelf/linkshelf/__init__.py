"""Keeps links in one JSON file."""

__version__ = "0.2.0"
