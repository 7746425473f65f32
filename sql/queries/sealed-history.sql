-- name: sealed-history/read_segments
-- What is sealed. Result: one row; version: of sealed history; segments: by first slot. Index: none, a row a segment.
select
  (select coalesce(sum(version), 0)::bigint from history_version) as version,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'id', id, 'firstSlot', first_slot, 'lastSlot', last_slot, 'format', format, 'rowCount', row_count,
          'signatureBits', signature_bits, 'walletBits', wallet_bits, 'goneCount', gone_count
        )
        order by first_slot
      )
      from segment
    ),
    '[]'::json
  ) as segments

-- name: sealed-history/read_version
-- How often sealed history changed. Result: one row. Index: none, a row a writer.
select coalesce(sum(version), 0)::bigint as version from history_version
