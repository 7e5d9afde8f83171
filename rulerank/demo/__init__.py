"""A collection that needs no download: questions about Python, answered by the documentation of its own library."""

from rulerank.demo.build import Demo, build_demo

__all__ = ["Demo", "build_demo"]
