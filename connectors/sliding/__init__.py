"""Bodies and points that move along chains of cables: carriages, trolleys, gondolas."""
