-- Dead letters that were brought in again so long ago. $1 integer: days.
delete from dead_letter where retried_at < now() - $1::integer * interval '1 day'
