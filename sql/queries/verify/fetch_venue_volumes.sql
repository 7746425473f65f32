-- The next rows of open_venue_volumes; none at the end.
fetch forward 5000 from venue_volumes
