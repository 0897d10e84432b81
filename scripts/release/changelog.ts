/** The packages that are published, by the names of their folders, each behind its dependencies. */
export const PACKAGE_NAMES = ['core', 'http', 'testing', 'cli'] as const
export type PackageName = (typeof PACKAGE_NAMES)[number]

/** Marks changes that only those who work on the sources notice. No package tells them. */
const CHECKOUT = 'checkout'

/** A change, as the changelog tells it. */
interface Entry {
  readonly kind: string
  readonly packages: ReadonlySet<string>
  /** Its lines without the names of the packages. */
  readonly lines: readonly string[]
}

/** A version in the changelog. */
export interface Section {
  readonly version: string
  /** The day of the release, `YYYY-MM-DD`; absent while the version is unreleased. */
  readonly date?: string
  readonly entries: readonly Entry[]
}

const KNOWN: ReadonlySet<string> = new Set([...PACKAGE_NAMES, CHECKOUT])

const HEAD = /^## \[(?<version>[^\]\s]{1,100})\] - (?:unreleased|(?<date>\d{4}-\d\d-\d\d))$/
const KIND = /^### (?<kind>Added|Changed|Deprecated|Removed|Fixed|Security)$/
const ENTRY = /^- \*\*(?<packages>[a-z]{1,20}(?:, [a-z]{1,20}){0,9}):\*\* (?<text>\S.*)$/

class Draft {
  readonly version: string
  readonly date: string | undefined
  readonly entries: { kind: string; packages: ReadonlySet<string>; lines: string[] }[] = []
  #kind = ''

  constructor(version: string, date: string | undefined) {
    this.version = version
    this.date = date
  }

  take(line: string, refuse: (why: string) => Error): void {
    const kind = KIND.exec(line)?.groups?.kind
    const last = this.entries.at(-1)
    if (kind !== undefined) this.#kind = kind
    else if (line.startsWith('- ')) this.#begin(line, refuse)
    else if (line.startsWith('  ') && last !== undefined) last.lines.push(line)
    else if (line !== '') throw refuse('stands below no heading, and belongs to no entry')
  }

  #begin(line: string, refuse: (why: string) => Error): void {
    const { packages, text } = ENTRY.exec(line)?.groups ?? {}
    const names = packages?.split(', ') ?? []
    const unknown = names.some((name) => !KNOWN.has(name))
    if (text === undefined || unknown)
      throw refuse(`begins with its packages, as in "- **core, http:** …": ${[...KNOWN].join(', ')}`)
    if (this.#kind === '') throw refuse('stands below no heading such as "### Added"')
    this.entries.push({ kind: this.#kind, packages: new Set(names), lines: [`- ${text}`] })
  }
}

/**
 * Reads the versions of a changelog, the newest first.
 * @throws Error that names the line, for one that is no part of a version's list
 */
export function sectionsOf(changelog: string): readonly Section[] {
  const drafts: Draft[] = []
  for (const [index, line] of changelog.split('\n').entries()) {
    const refuse = (why: string) => new Error(`CHANGELOG.md:${index + 1}: this line ${why}`)
    const head = HEAD.exec(line)?.groups
    if (head !== undefined) drafts.push(new Draft(head.version ?? '', head.date))
    else if (line.startsWith('## '))
      throw refuse('is no "## [1.2.3] - unreleased" and has no day of a release')
    else drafts.at(-1)?.take(line, refuse)
  }
  return drafts.map(({ version, date, entries }) => ({ version, ...(date && { date }), entries }))
}

/** Returns the changelog with the day of the release, for the version that has none. */
export const released = (changelog: string, version: string, date: string): string =>
  changelog.replace(`## [${version}] - unreleased`, `## [${version}] - ${date}`)

/** Returns the changelog of one package: the entries that name it, and every version, since all have it. */
export function changelogOf(changelog: string, name: PackageName): string {
  const sections = sectionsOf(changelog).map(({ version, date, entries }) => {
    const own = entries.filter(({ packages }) => packages.has(name))
    const kinds = [...new Set(own.map(({ kind }) => kind))].map((kind) => {
      const lines = own.filter((entry) => entry.kind === kind).flatMap((entry) => entry.lines)
      return `### ${kind}\n\n${lines.join('\n')}\n`
    })
    const head = `## [${version}] - ${date ?? 'unreleased'}\n`
    return [head, ...(kinds.length > 0 ? kinds : ['No change of this package.\n'])].join('\n')
  })
  return [`# Changelog of @svc/${name}\n`, ...sections].join('\n')
}
