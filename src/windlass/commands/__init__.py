"""The commands of `windlass`, one file each; no other package imports them."""
