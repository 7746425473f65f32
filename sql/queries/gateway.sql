-- name: gateway/beat_instance
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

-- name: gateway/find_key
-- The key of a hash, revoked or not: the caller judges.
-- $1 bytea: SHA-256. Index: api_key_key_hash_key.
select id, key_hash, tier, account, sql_access, lineage, grace_until, revoked_at
from api_key
where key_hash = $1

-- name: gateway/find_rotatable
-- Fields that decide whether a key can be rotated. $1 integer: id. Index: api_key_pkey.
select environment, revoked_at, grace_until from api_key where id = $1

-- name: gateway/find_usage
-- Requests of a month. $1 uuid: lineage, $2 date: its first day. Index: api_usage_pkey.
select requests from api_usage where lineage = $1 and month = $2

-- name: gateway/forget_instance
-- A process of the API ends. $1 uuid.
delete from api_instance where id = $1

-- name: gateway/insert_key
-- Stores a key with its line in the audit.
-- $1 bytea: SHA-256, $2 text, $3 text: first and last characters, $4 text: environment,
-- $5 text: tier, $6 text: account, $7 uuid: lineage, $8 text: operator, $9 boolean: sql_access. Result: id.
with added as (
  insert into api_key (key_hash, hint_first, hint_last, environment, tier, account, lineage, sql_access)
  values ($1, $2, $3, $4, $5, $6, $7, $9)
  returning id
), audited as (
  insert into api_key_audit (key_id, action, actor)
  select id, 'created', $8 from added
)
select id from added

-- name: gateway/list_ended_keys
-- Keys among these that are revoked or past their grace period. $1 integer[]: ids. Index: api_key_pkey.
select id from api_key
where id = any($1::integer[]) and (revoked_at is not null or grace_until <= now())

-- name: gateway/list_keys
-- Every key, oldest first, with its hint only.
select
  id,
  hint_first || '...' || hint_last as hint,
  environment,
  tier,
  account,
  sql_access,
  created_at,
  grace_until,
  revoked_at,
  last_used_at
from api_key
order by id

-- name: gateway/listen_keys
-- Subscribes to notifications of created and changed keys: `id hash`, the hash in hex. Lasts as long as the connection.
listen api_key

-- name: gateway/merge_usage
-- Adds to the counts of requests by month. $1 uuid[]: lineages, $2 date[]: first days of the months,
-- $3 bigint[]: requests; each lineage and month once. Index: api_usage_pkey.
insert into api_usage (lineage, month, requests)
select * from unnest($1::uuid[], $2::date[], $3::bigint[])
on conflict (lineage, month) do update set requests = api_usage.requests + excluded.requests

-- name: gateway/revoke_key
-- Revokes a key; the audit has a line only the first time.
-- $1 integer: id, $2 text: operator. Result: the id of an existing key. Index: api_key_pkey.
with known as (
  select id, revoked_at from api_key where id = $1 for update
), ended as (
  update api_key set revoked_at = now()
  from known
  where api_key.id = known.id and known.revoked_at is null
  returning api_key.id
), audited as (
  insert into api_key_audit (key_id, action, actor)
  select id, 'revoked', $2 from ended
)
select id from known

-- name: gateway/rotate_key
-- Makes the successor of a live key and ends the old one some time from now; no row where the key is revoked or was
-- rotated before.
-- $1 integer: id of the old key, $2 bytea: SHA-256 of the new, $3 text, $4 text: its first and last
-- characters, $5 text: operator, $6 interval: grace. Result: id of the new key, environment, tier, account,
-- sql_access, end of the old one. Index: api_key_pkey.
with ended as (
  update api_key set grace_until = now() + $6::interval
  where id = $1 and revoked_at is null and grace_until is null
  returning id, environment, tier, account, lineage, sql_access, grace_until
), added as (
  insert into api_key (key_hash, hint_first, hint_last, environment, tier, account, lineage, sql_access)
  select $2, $3, $4, environment, tier, account, lineage, sql_access from ended
  returning id
), audited as (
  insert into api_key_audit (key_id, action, actor)
  select id, 'rotated', $5 from ended
  union all
  select id, 'created', $5 from added
)
select added.id, environment, tier, account, sql_access, grace_until from added cross join ended

-- name: gateway/touch_key
-- Records that a key was used, at most once a minute for all processes.
-- $1 integer: id. Index: api_key_pkey.
update api_key set last_used_at = now()
where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')
