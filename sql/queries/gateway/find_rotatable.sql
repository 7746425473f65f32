-- Fields that decide whether a key can be rotated. $1 integer: id. Index: api_key_pkey.
select environment, revoked_at, grace_until from api_key where id = $1
