"""The version: read by the build, by pages and by receipts."""

__all__ = ["__version__"]

__version__ = "0.1.0"
