"""What is wrong with a file, where, and what to do about it."""


class ReadError(ValueError):
    """One line for the person who wrote the file; it names the file and the line or field."""
