"""Guidelines as annotators see them: Markdown whose pictures are not fetched from elsewhere unless that is allowed.

A picture of another server tells that server who labels, when, and from where. So a picture becomes a link with its
text, which nobody follows by accident.
"""

from __future__ import annotations

import re

_OWN = r"!\[[^\[\]\\!]*\]\(data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+\)"
"""A picture that the text itself holds; nothing is fetched for it. Plain enough to be read in one way only."""

_PICTURE = re.compile(rf"({_OWN})|!\[")
"""Every picture of Markdown begins like this, whether its address follows, or stands elsewhere under a name."""

NOTE = (
    "*Pictures from elsewhere are links here: they are not loaded unless whoever made the campaign allows it, for that "
    "tells another server who labels.*"
)


def has_pictures(text: str) -> bool:
    """Say whether guidelines would fetch pictures.

    >>> has_pictures("![a map](https://example.org/map.png)"), has_pictures("a [link](https://example.org)!")
    (True, False)
    """
    return any(not found[1] for found in _PICTURE.finditer(text))


def shown(text: str, *, remote_pictures: bool = False) -> str:
    """Return guidelines as Markdown to be shown; pictures become links with their text unless they are allowed.

    What looks like a picture within code is changed too: so nothing that any reader of Markdown takes for one is left.

    >>> print(shown("See ![a map](https://example.org/map.png)").splitlines()[0])
    See [Picture: a map](https://example.org/map.png)
    """
    if remote_pictures or not has_pictures(text):
        return text
    return f"{_PICTURE.sub(lambda found: found[1] or '[Picture: ', text)}\n\n{NOTE}"
