/** Pages of tokens: the ranking reads the rows of a page by one statement. */

const PAGE_TOKENS = 1_000
const PAGES_CONCURRENT = 2

/** Calls `work` for each page of tokens, two at a time: the database reads one while the other is applied. */
export async function forEachPage(
  tokenIds: readonly number[],
  work: (page: readonly number[]) => Promise<void>,
): Promise<void> {
  let from = 0
  const reader = async (): Promise<void> => {
    while (from < tokenIds.length) {
      const page = tokenIds.slice(from, from + PAGE_TOKENS)
      from += PAGE_TOKENS
      await work(page)
    }
  }
  await Promise.all(Array.from({ length: PAGES_CONCURRENT }, reader))
}
