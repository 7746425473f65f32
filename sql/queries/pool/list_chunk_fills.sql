-- Row counts of the chunks of `swap` that were made last or lie last, and how many slots the next will be wide, on every row.
-- Result: first_slot, last_slot, row_count (null, all three, where there is no chunk), width. Index: swap_order of chunks.
select fill.first_slot, fill.last_slot, fill.row_count, dimension.integer_interval as width
from timescaledb_information.dimensions as dimension
left join chunk_fills() as fill on true
where dimension.hypertable_schema = current_schema() and dimension.hypertable_name = 'swap'
