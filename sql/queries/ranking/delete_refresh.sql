-- Deletes the instant of the ranking snapshot: without one, readers find no snapshot.
delete from ranking_roll
