"""Hunt-Crossley contact at points between spheres, ellipsoids and half spaces."""
