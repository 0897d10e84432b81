/** Values of a query; absent and empty ones are left out. */
export type Query = Readonly<Record<string, string | undefined>>

/**
 * Addresses of the console, relative to the page that has them: the console does not know under which prefix
 * it is mounted.
 */
export class Links {
  readonly #root: string

  /** `path`: of the page, below the console's root; empty for the overview. */
  constructor(path: string) {
    const segments = path === '' ? 0 : path.split('/').length
    this.#root = segments === 0 ? 'console/' : segments === 1 ? './' : '../'.repeat(segments - 1)
  }

  /** Returns the address of a path below the console's root. */
  to(path: string, query: Query = {}): string {
    // The overview has no slash at its end, and no path of its own below the root.
    const address = path === '' ? `${this.#root}../console` : `${this.#root}${path}`
    const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
    return given.length === 0 ? address : `${address}?${new URLSearchParams(given)}`
  }

  /** Returns the address of a thing's page; its name is any text. */
  thing(page: string, name: string): string {
    return this.to(`${page}/${encodeURIComponent(name)}`)
  }
}

/** Returns the path of a page with its open parts filled. */
export const pathWith = (pattern: string, params: Readonly<Record<string, string>>): string =>
  pattern.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))

/** Name of the overview in `back` and `next`, since its own path is empty. */
export const OVERVIEW = 'overview'

const OWN_PATH = /^[a-z][\w./?=&%:@+-]{0,1000}$/i
/** Dots that lead upwards, spelled in any way, and a doubled slash. */
const ELSEWHERE = /(?:\.|%2e){2}|\/\//i

/** Returns a path below the console's root with its query, if a text is one and leads nowhere else. */
export function ownPath(text: string | null | undefined): string | undefined {
  if (!text || !OWN_PATH.test(text) || ELSEWHERE.test(text)) return undefined
  return text === OVERVIEW ? '' : text
}
