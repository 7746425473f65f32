-- A page of trending tokens. $1 integer: minutes of the window, $2 boolean: with the rugged, $3 text: sector
-- ('': any). Index: the primary key.
select total, entries
from trending_page
where window_minutes = $1 and has_rugged = $2 and sector = $3
