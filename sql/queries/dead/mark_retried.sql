-- A dead letter was sent again, by whom. $1 bigint: id, $2 text: who did it. Index: dead_letter_pkey.
with marked as (
  update dead_letter set retried_at = now() where id = $1 returning id
)
insert into operator_audit (action, target, actor)
select 'dead_letter_retried', 'dead letter ' || id, $2 from marked
