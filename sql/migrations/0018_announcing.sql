-- How many messages of FEED the newest commit of a lane makes, of those that announce anything: who has
-- read so many of it knows that no more will come. Of commits before this nobody can know.
alter table checkpoint
  add column announced_commit bigint not null default 0,
  add column announced_parts integer not null default 0;

update checkpoint set announced_commit = commit_number where actor = 'pool';
