-- Up to where FEED is in the rankings that are served; null before the first refresh.
select (select feed_sequence from ranking_roll) as feed_sequence
