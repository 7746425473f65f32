-- Whether a ledger has ever run: where none has, its tables are not the fold of anything.
select exists (select from checkpoint where actor = 'ledger' and stream_epoch is not null)
  or exists (select from ledger_cover) as has_ledger
