"""`python -m rulerank`."""

from rulerank.cli import main

if __name__ == "__main__":
    main()
