-- Until the transaction ends no other creates a chunk of `swap`: creating one takes this lock, which conflicts with
-- itself alone, so that swaps of existing chunks are stored meanwhile. A statement lists the chunks that it reads
-- before it takes its snapshot: without the lock it would see a commit and not the chunk that this created.
lock table swap in share update exclusive mode
