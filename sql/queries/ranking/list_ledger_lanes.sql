-- How far the ledger has read the feed, by lane; no rows where none runs.
select lane, sequence from checkpoint where actor = 'ledger' and stream_epoch is not null
