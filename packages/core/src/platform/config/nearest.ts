const MAX_TYPOS = 3

/**
 * Returns the word that `given` was most likely meant to be: at most three edits away, the first of equally
 * near ones; else `undefined`.
 */
export function nearest(given: string, words: readonly string[]): string | undefined {
  let best: string | undefined
  let fewest = MAX_TYPOS + 1
  for (const word of words) {
    const distance = edits(given, word)
    if (distance < fewest) [best, fewest] = [word, distance]
  }
  return best
}

/**
 * Returns the Levenshtein distance. Words whose lengths differ by more than the allowed typos count as far
 * apart.
 */
function edits(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_TYPOS) return MAX_TYPOS + 1
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (letter === b[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
