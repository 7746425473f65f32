-- How many lanes there were when a lane stored its row of a retraction or applied it; null: stored before this was noted, and
-- taken for the present number. Streams that are made again may have another number, and then a lane has other pools.
alter table retraction add column lane_count smallint;
