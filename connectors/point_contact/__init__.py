"""Hunt-Crossley contact between spheres, ellipsoids and half spaces, with one contact point per pair of surfaces."""
