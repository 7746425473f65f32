-- Fuller pages of positions. A position takes most of a kilobyte, so pages that are filled to 60 % leave room for updates that few of
-- their positions ever get. Pages that exist stay as they are until their rows are written again. Readers and writers do not
-- wait for this. Its name sorts before the removal of the same release, which waits for parts of the version before.

alter table position set (fillfactor = 90);
