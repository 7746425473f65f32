-- Counts by which a stored day of a chart is known to be computed from the present swaps. The name of this file sorts before the removal of the
-- same release, which waits for parts of the version before.

-- Changes of the swaps of a UTC day (`day_ms`: its beginning), never counted down: a stored value of a day is that of the present swaps where the
-- changes of it and all earlier days are as many as when it was computed. A commit counts in the day of a swap of it, or in an earlier one, by
-- triggers (functions/swap_days.sql), since this table exists. `part`: the lane, so that lanes never wait for each other's rows, or a pool's id
-- with the sign reversed.
create table swap_day (
  day_ms bigint not null,
  part integer not null,
  change_count bigint not null,
  primary key (day_ms, part)
) with (fillfactor = 60);

-- `change_count`: changes up to the end of the day when the value was computed of all swaps; null: not known, or not decisive.
-- `folded_sol`: the value by then, where it was computed again after `value_sol`, which never changes.
alter table chart_day add column change_count bigint, add column folded_sol double precision;
