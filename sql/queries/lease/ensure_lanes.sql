-- The checkpoint rows of an actor's lanes. $1 text: actor, $2 integer: lane count. Existing rows are not touched: an
-- insert would wait for any commit to such a row, however long.
insert into checkpoint (actor, lane)
select $1, lane
from generate_series(0, $2::integer - 1) as lane
where not exists (select from checkpoint where actor = $1 and checkpoint.lane = lane.lane)
on conflict (actor, lane) do nothing
