-- How many stored swaps the ledger has not read yet; null where no ledger has ever run.
select case
  when exists (select from checkpoint where actor = 'ledger' and stream_epoch is not null)
    then (select coalesce(sum(swap_count), 0) from pool)
      - (select coalesce(sum(swap_count), 0) from position)
end::bigint as unread
