-- name: admin/find_sector
-- The sector of a mint; no row where it has none. $1 text: mint. Index: token_with_sector.
select sector from token where address = $1 and sector <> ''

-- name: admin/insert_audit
-- Records an operator action, a row for each target. $1 text: action, $2 text[]: targets, $3 text: operator.
insert into operator_audit (action, target, actor)
select $1, target, $3 from unnest($2::text[]) as done (target)

-- name: admin/list_audit
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

-- name: admin/list_of_sector
-- Tokens of a sector, by mint. $1 text: only mints after it ('': from the first), $2 integer: how many, $3 text: search
-- key of the sector, not ''. Index: token_sector.
select address as mint, symbol, sector
from token
where sector_key = $3 and sector_key <> '' and address > $1
order by address
limit $2

-- name: admin/list_sectors
-- Tokens that have a sector, by mint. $1 text: only mints after it ('': from the first), $2 integer: how many.
-- Index: token_with_sector.
select address as mint, symbol, sector
from token
where address > $1 and sector <> ''
order by address
limit $2
