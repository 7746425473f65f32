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
