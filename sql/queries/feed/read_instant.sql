-- Inputs of all token statistics besides their token: the minute that windows end with, US dollars a SOL,
-- and the sequence of FEED, and its epoch, up to which traders are counted and rankings refreshed; null: never yet.
-- $1 integer: version of the formulas, because a ranking by others is not served.
-- Indexes: those of newest_swap_ms() and sol_usd(), checkpoint_pkey.
select
  newest_swap_ms() / 60000 as minute, sol_usd() as rate, ranking.stream_epoch as ranking_epoch,
  ranking.sequence as ranking_sequence, refreshed.feed_sequence as refreshed_sequence
from (select) as one
left join ranking_roll as refreshed on refreshed.formula_version = $1
left join checkpoint as ranking on ranking.actor = 'ranking' and ranking.lane = 0
