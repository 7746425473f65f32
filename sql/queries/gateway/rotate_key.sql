-- Makes the successor of a live key and ends the old one some time from now; no row where the key is revoked or was
-- rotated before.
-- $1 integer: id of the old key, $2 bytea: SHA-256 of the new, $3 text, $4 text: its first and last
-- characters, $5 text: operator, $6 interval: grace. Result: id of the new key, environment, tier, account, end of the old
-- one. Index: api_key_pkey.
with ended as (
  update api_key set grace_until = now() + $6::interval
  where id = $1 and revoked_at is null and grace_until is null
  returning id, environment, tier, account, lineage, grace_until
), added as (
  insert into api_key (key_hash, hint_first, hint_last, environment, tier, account, lineage)
  select $2, $3, $4, environment, tier, account, lineage from ended
  returning id
), audited as (
  insert into api_key_audit (key_id, action, actor)
  select id, 'rotated', $5 from ended
  union all
  select id, 'created', $5 from added
)
select added.id, environment, tier, account, grace_until from added cross join ended
