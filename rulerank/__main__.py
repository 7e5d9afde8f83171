"""`python -m rulerank`."""

if __name__ == "__main__":
    try:
        from rulerank.cli import main
    except KeyboardInterrupt:  # stopped while it was still starting
        raise SystemExit(130) from None
    main()
