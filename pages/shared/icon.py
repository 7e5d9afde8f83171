"""The icon of the browser's tab, drawn here, so that it is there without a network."""

ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
<rect width="16" height="16" rx="3" fill="#0072B2"/>
<path d="M4 4h8M4 8h6M4 12h4" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>"""
