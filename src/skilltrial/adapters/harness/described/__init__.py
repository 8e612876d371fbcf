"""Agent programs that a TOML file describes: how they are started, isolated, pointed at a model, and read."""

from skilltrial.adapters.harness.described.catalogue import Catalogue, Entry, read_catalogue, starter
from skilltrial.adapters.harness.described.descriptor import Descriptor, read_descriptor
from skilltrial.adapters.harness.described.harness import create

__all__ = ["Catalogue", "Descriptor", "Entry", "create", "read_catalogue", "read_descriptor", "starter"]
