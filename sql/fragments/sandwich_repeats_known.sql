-- How often the attacker of a bracket `s` repeats, counted once for all that reads it (offset 0).
cross join lateral (select sandwich_repeats(s.id, s.last_slot, null) as repeats offset 0) as known
