"""The screens: a folder each with a thin page, its parts and assets, reached only by the navigation of `main.py`."""
