-- The ranking snapshot that readers get, and whether its worker has refreshed it with everything that is stored. $1 integer:
-- version of the formulas. `is_settled`: FEED is read and refreshed up to one place, no token waits to be read again, and
-- windows end in the same minute. No row without a snapshot of this version, or where no worker maintains it.
-- Indexes: checkpoint_pkey, those of newest_swap_ms().
select
  roll.newest_ms, newest_swap_ms() as end_ms,
  roll.feed_sequence >= lane.sequence
    and not exists (select from token_change)
    and not exists (select from ranking_recount)
    and roll.newest_ms / 60000 = newest_swap_ms() / 60000 as is_settled
from ranking_roll as roll
join checkpoint as lane on lane.actor = 'ranking' and lane.lane = 0
where roll.formula_version = $1
  and lane.owner is not null
  and lane.leased_until between clock_timestamp() and clock_timestamp() + interval '1 minute'
