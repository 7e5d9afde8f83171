"""The app in a real browser: a server of its own, Chromium, and the keyboard."""
