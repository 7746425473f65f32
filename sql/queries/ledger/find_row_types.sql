-- The types of the rows of the ledger's tables, by their oids: those of arrays that are sent (workers/row-array.ts).
select
  '"position"'::regtype::oid::bigint as position,
  'position_hour'::regtype::oid::bigint as position_hour
