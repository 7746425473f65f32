-- Where a session puts down trending tokens before they are merged; empty after each transaction.
create temp table if not exists trending_token_stage (like trending_token including defaults) on commit delete rows
