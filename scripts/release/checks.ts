import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { digestOf, type Tarball } from '../pack/lock.ts'

/** A release that is not made, for a reason that its author can mend. */
export class Refusal extends Error {}

/** A tarball, as a registry knows it. */
export interface Published {
  readonly name: string
  readonly version: string
  readonly file: string
  /** In bytes. */
  readonly size: number
  /** As in a lock of npm: `sha512-…`. */
  readonly integrity: string
}

/** Returns a tarball as a registry knows it. */
export function publishedOf({ manifest: { name, version }, file, bytes }: Tarball): Published {
  return { name, version, file, size: bytes.length, integrity: digestOf(bytes) }
}

const REPOSITORY = /^git\+https:\/\/(?<host>[a-z0-9.-]{1,253})\/\S{1,500}\.git$/

/** Says why a registry could not prove where this manifest's package comes from; `undefined` if it can. */
export function provenanceProblem(manifest: Readonly<Record<string, unknown>>): string | undefined {
  const { repository } = manifest as { readonly repository?: { readonly url?: string } }
  const where =
    'package.json of the checkout names the repository: { "type": "git", "url": "git+https://….git" }'
  if (repository?.url === undefined) return `no repository is named, so no provenance can be proven; ${where}`
  return REPOSITORY.test(repository.url) ? undefined : `${repository.url} is no public address; ${where}`
}

/** The fields of a published manifest that are looked at. */
interface Manifest {
  readonly name: string
  readonly version?: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const OF_A_WORKSPACE = /^(?:workspace|portal|catalog):/

/**
 * Looks at the tarballs as their users will: entries of `exports` and `bin` lead to files of the right format
 * (publint), all have one version, and depend on each other's alone. Returns a sentence for each fault.
 */
export async function faultsOf(tarballs: readonly Tarball[], version: string): Promise<readonly string[]> {
  const own = new Set(tarballs.map(({ manifest }) => manifest.name))
  const faults: string[] = []
  for (const { bytes, file } of tarballs) {
    const { messages, pkg } = await publint({
      pack: { tarball: Uint8Array.from(bytes).buffer },
      strict: true,
    })
    const manifest = (pkg ?? { name: file }) as Manifest
    const say = (fault: string) => faults.push(`${manifest.name}: ${fault}`)
    if (manifest.version !== version) say(`its version is ${manifest.version}`)
    if (manifest.license === undefined) say('it names no license')
    for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      if (own.has(name) && range !== version) say(`it depends on ${name} ${range}`)
      if (OF_A_WORKSPACE.test(range)) say(`${name} comes from ${range}, not from a registry`)
    }
    for (const message of messages) say(formatMessage(message, { ...pkg }, { color: false }) ?? message.code)
  }
  return faults
}
