"""The pure vocabulary: histograms, spans and grids, identities, states. Standard library only."""
