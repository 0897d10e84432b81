const DROPPED = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu

/**
 * Returns a function that names the headings of one page as Markdown sites do: lower case, no punctuation,
 * hyphens for blanks, and a number after a name that the page already has.
 */
export function headingSlugs(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const name = heading.trim().toLowerCase().replaceAll(DROPPED, '').replaceAll(' ', '-')
    const before = seen.get(name)
    seen.set(name, (before ?? 0) + 1)
    return before === undefined ? name : `${name}-${before}`
  }
}
