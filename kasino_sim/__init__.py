"""Simulate and study Nordic Kasino."""
