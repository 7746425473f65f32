-- Holders of tokens by the ledger: how many, what all of them hold and what the ten largest do, how many
-- positions there are at all, and their net changes by the minute, from one on, as pairs of arrays (null
-- where there are none). $1 integer[]: token ids, $2 integer: minutes since 1970. Index: position_token.
with held as materialized (
  select
    token_id, balance, held_changes,
    row_number() over (partition by token_id order by balance desc) as place
  from position
  where token_id = any ($1::integer[])
), change as (
  select token_id, array_agg(minute) as minutes, array_agg(net) as nets
  from (
    select token_id, abs(change) as minute, sum(sign(change))::integer as net
    from held
    cross join unnest(held_changes) as change
    where held_changes is not null and abs(change) >= $2
    group by token_id, abs(change)
  ) as changed
  group by token_id
)
select held.token_id, position_count, holder_count, held, held_by_ten, minutes, nets
from (
  select
    token_id, count(*) as position_count, count(*) filter (where balance > 0) as holder_count,
    sum(balance) as held, coalesce(sum(balance) filter (where place <= 10), 0) as held_by_ten
  from held
  group by token_id
) as held
left join change on change.token_id = held.token_id
