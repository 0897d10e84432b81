/**
 * Returns the order by some texts, by the bytes of the first that differ: entries of several licenses stand
 * as a store gives the entries of one.
 */
export const inOrderOf =
  <T>(textsOf: (entry: T) => readonly string[]) =>
  (one: T, other: T): number => {
    const others = textsOf(other)
    for (const [at, text] of textsOf(one).entries()) {
      const order = Buffer.from(text).compare(Buffer.from(others[at] ?? ''))
      if (order !== 0) return order
    }
    return 0
  }
