-- Whether a window's rows are few. $1 $2 bigint: first and last hour, $3 integer: how far to count.
-- Reads the chunks of the window until it has as many.
select count(*) as row_count
from (select from position_hour where hour_ms between $1 and $2 limit $3) as counted
