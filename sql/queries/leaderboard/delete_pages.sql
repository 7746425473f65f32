-- Makes room for a ranking's next pages. $1 text: period. Index: leaderboard_page_pkey.
delete from leaderboard_page where period = $1
