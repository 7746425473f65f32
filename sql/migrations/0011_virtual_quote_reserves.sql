-- SOL beside the reported reserves, where a swap states it.

-- Lamports that the pool counts into its price beside `real_sol_reserves`, as the venue states them with the swap; null
-- where it states none. The pool's column describes its canonically newest swap. They take precedence over
-- venue.missing_lamports.
alter table swap add column virtual_quote_reserves bigint;
alter table pool add column last_virtual_quote_reserves bigint;
