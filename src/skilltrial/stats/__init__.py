"""Pure functions on numbers; nothing here knows of trials, files or arms."""
