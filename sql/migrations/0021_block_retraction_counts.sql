-- Events of a run of ingest that were left out because their block had been retracted. They stay counted in `duplicate`
-- (swaps) and `other` (pool events) as well, so that the sums that the version before waits for are whole.
alter table ingest_run
  add column retracted_swap bigint not null default 0,
  add column retracted_pool_event bigint not null default 0;
