"""The commands of `windlass`, a file each; above all other rooms, none of which knows them."""
