-- Operator actions, the newest first. $1 integer: how many at most.
-- Result: id bigint (within keys, or within the rest), key_id integer (null: no key), action text,
-- target text, actor text, at timestamptz. Index: api_key_audit_pkey, operator_audit_pkey.
select * from (
  (
    select id, key_id, action, 'key ' || key_id as target, actor, at
    from api_key_audit
    order by id desc
    limit $1
  )
  union all
  (
    select id, null::integer, action, target, actor, at
    from operator_audit
    order by id desc
    limit $1
  )
) as lines
order by at desc, id desc
limit $1
