-- Pages of rankings as readers get them. `dex` and `is_gainer` are of movers; the others are of trending tokens. Reads
-- two small tables whole.
select window_minutes, has_rugged, sector, null::smallint as dex, null::boolean as is_gainer, total, token_ids
from trending_page
union all
select window_minutes, null, null, dex, is_gainer, 0, token_ids
from mover_page
