-- What was done to keys, the newest first. $1 integer: how many at most. Index: api_key_audit_pkey.
select id, key_id, action, actor, at from api_key_audit order by id desc limit $1
