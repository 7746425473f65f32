-- Records that a dead letter was sent again. $1 bigint: id, $2 text: operator. Index: dead_letter_pkey.
with marked as (
  update dead_letter set retried_at = now() where id = $1 returning id
)
insert into operator_audit (action, target, actor)
select 'dead_letter_retried', 'dead letter ' || id, $2 from marked
