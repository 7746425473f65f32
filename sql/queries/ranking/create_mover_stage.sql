-- Where a session puts down movers before they are merged; empty after each transaction.
create temp table if not exists mover_token_stage (like mover_token including defaults) on commit delete rows
