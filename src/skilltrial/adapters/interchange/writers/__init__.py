"""Exporters: iterations of ours in the exact form of another tool, and a list of what that form cannot hold."""
