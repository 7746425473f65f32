-- A dead letter was sent again. $1 bigint: id.
update dead_letter set retried_at = now() where id = $1
