-- Keys whose callers may query the daily files of swaps by SQL.
alter table api_key add column sql_access boolean not null default false;
