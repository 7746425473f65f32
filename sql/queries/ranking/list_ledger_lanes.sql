-- How far the ledger has read the feed that the ranking reads, by lane; 0 where it has read a FEED that was lost. No
-- row for a lane that never committed: it has read nothing. Index: checkpoint_pkey.
select
  ledger.lane,
  case when ledger.stream_epoch <> ranking.stream_epoch then 0 else ledger.sequence end as sequence
from checkpoint as ledger
left join checkpoint as ranking on ranking.actor = 'ranking' and ranking.lane = 0
where ledger.actor = 'ledger' and ledger.stream_epoch is not null
