-- Figures of tokens as readers get them. `dex` null: of trending tokens, `changes` likewise. Reads two tables whole.
select token_id, null::smallint as dex, mint, window_minutes, changes, figures
from trending_token
union all
select token_id, dex, mint, window_minutes, null, figures
from mover_token
