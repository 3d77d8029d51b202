"""The steps of the flows, over frames and ports."""
