-- The key of a hash, revoked or not: the caller judges.
-- $1 bytea: SHA-256. Index: api_key_key_hash_key.
select id, key_hash, tier, account, lineage, grace_until, revoked_at
from api_key
where key_hash = $1
