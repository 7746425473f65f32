-- Where a session puts down hours before they are merged; empty after each transaction.
create temp table if not exists position_hour_stage (like position_hour including defaults) on commit delete rows
