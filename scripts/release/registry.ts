import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { NPM } from '../pack/npm.ts'
import { type Published, Refusal } from './checks.ts'

const [program, first] = NPM

const NOT_THERE = /\bE404\b/

/** How packages go out. */
export interface Publishing {
  /** The folder of the tarballs. */
  readonly folder: string
  readonly tag: string
  readonly provenance: boolean
  /** The environment of npm, which finds its registry and its token there or in its own files. */
  readonly env: NodeJS.ProcessEnv
  readonly say: (line: string) => void
}

/** Runs npm. Returns its output, and its words when it failed. */
function runNpm(
  args: readonly string[],
  { folder: cwd, env }: Publishing,
): Promise<{ out: string; failure?: string }> {
  return new Promise((resolve) => {
    execFile(program, [...first, ...args, '--loglevel=error'], { cwd, env }, (error, out, words) => {
      resolve({ out, ...(error !== null && { failure: words.trim() || out.trim() || error.message }) })
    })
  })
}

/** Returns the digest under which the registry has a version, or `undefined` when it has none. */
async function digestAt({ name, version }: Published, to: Publishing): Promise<string | undefined> {
  const { out, failure } = await runNpm(
    ['view', `${name}@${version}`, 'dist.integrity', '--json', '--prefer-online'],
    to,
  )
  if (failure === undefined) return out.trim() === '' ? undefined : (JSON.parse(out) as string)
  if (NOT_THERE.test(failure)) return undefined
  throw new Refusal(`npm view ${name}@${version} failed:\n${failure}`)
}

async function publish({ file }: Published, to: Publishing): Promise<void> {
  const flags = ['--access', 'public', '--tag', to.tag, ...(to.provenance ? ['--provenance'] : [])]
  const { failure } = await runNpm(['publish', join(to.folder, file), ...flags], to)
  if (failure !== undefined) throw new Refusal(`npm publish ${file} failed:\n${failure}`)
}

/**
 * Publishes packages in their order. One that the registry has already is left alone, so that a release that
 * was cut off goes on.
 * @throws Refusal when the registry has other bytes under a version, or does not say, and with npm's own
 * words when it refuses a package. The packages before that one are out.
 */
export async function publishAll(packages: readonly Published[], to: Publishing): Promise<void> {
  for (const each of packages) {
    const title = `${each.name}@${each.version}`
    const there = await digestAt(each, to)
    if (there !== undefined && there !== each.integrity)
      throw new Refusal(`The registry has another ${title} (${there}): raise the version in CHANGELOG.md.`)
    if (there === undefined) await publish(each, to)
    to.say(`${there === undefined ? 'published' : 'is there already:'} ${title}`)
  }
}

/** Whether this is a job of a pipeline that npm can have a statement of provenance from. */
export const canProve = (env: NodeJS.ProcessEnv): boolean =>
  env.ACTIONS_ID_TOKEN_REQUEST_URL !== undefined ||
  (env.GITLAB_CI !== undefined && env.SIGSTORE_ID_TOKEN !== undefined)
