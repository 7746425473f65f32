-- Where a session puts down positions before they are merged; empty after each transaction.
create temp table if not exists position_stage (like position including defaults) on commit delete rows
