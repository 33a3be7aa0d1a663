"""Neighborwatch: who makes whom wait on a shared Linux host."""
