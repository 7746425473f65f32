-- Where a session puts down buckets of traders before they replace what is stored; empty after each
-- transaction.
create temp table if not exists trader_stage (
  is_hour boolean not null, like trader_minute including defaults
) on commit delete rows
