-- Whether a ledger has ever run: otherwise its tables are no fold of the swaps.
select exists (select from checkpoint where actor = 'ledger' and stream_epoch is not null)
  or exists (select from ledger_cover) as has_ledger
