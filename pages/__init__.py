"""The screens: one thin file each, reached only through the navigation of `pages/main.py`."""
