-- How full the chunks of `swap` are: from this the pool actor computes the width of the next ones.

-- The four chunks created last and the two that lie last. first_slot and last_slot: of the swaps in the chunk;
-- row_count: counted where the chunk is small, else estimated from its size. No row while there is no chunk. Chunks are
-- read one by one, because a statement over `swap` would be planned for all of them.
create or replace function chunk_fills()
returns table (first_slot bigint, last_slot bigint, row_count double precision)
language plpgsql stable as $$
declare
  counted_bytes constant bigint := 1048576;
  row_bytes constant double precision := 300;
  chunk regclass;
begin
  for chunk in
    with named as (
      select
        format('%I.%I', chunk_schema, chunk_name)::regclass as name,
        row_number() over (order by chunk_creation_time desc, range_end_integer desc) as made,
        row_number() over (order by range_end_integer desc) as lying
      from timescaledb_information.chunks
      where hypertable_schema = current_schema() and hypertable_name = 'swap'
    )
    select name from named where made <= 4 or lying <= 2
  loop
    execute format('select min(slot), max(slot) from %s', chunk) into first_slot, last_slot;
    continue when first_slot is null;
    if pg_relation_size(chunk) <= counted_bytes then
      execute format('select count(*) from %s', chunk) into row_count;
    else
      row_count := pg_relation_size(chunk) / row_bytes;
    end if;
    return next;
  end loop;
end
$$;
