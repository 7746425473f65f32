-- Heartbeat of an API process: deletes processes silent for a minute, and counts those with a heartbeat within 15 s. $1
-- uuid: the process. Result: count, itself included.
with beaten as (
  insert into api_instance (id, seen_at) values ($1, clock_timestamp())
  on conflict (id) do update set seen_at = excluded.seen_at
), forgotten as (
  delete from api_instance where seen_at < clock_timestamp() - interval '1 minute' and id <> $1
)
select 1 + count(*) as instances
from api_instance
where seen_at > clock_timestamp() - interval '15 seconds' and id <> $1
