import { execFile } from 'node:child_process'
import type { NamedCheck } from '@svc/core/adapters'
import { requiredNode } from '../../shipped.ts'
import type { Io } from '../../terminal/io.ts'

const numbersOf = (version: string): readonly number[] => version.split('.').map(Number)

/** Whether `version` is at least `wanted`, number by number. */
export function isAtLeast(version: string, wanted: string): boolean {
  const [have, want] = [numbersOf(version), numbersOf(wanted)]
  const at = want.findIndex((number, index) => number !== (have[index] ?? 0))
  return at === -1 || (have[at] ?? 0) > (want[at] ?? 0)
}

/** Whether this Node.js is one that the release is made for. */
export const nodeCheck = ({ nodeVersion }: Pick<Io, 'nodeVersion'>): NamedCheck => ({
  name: 'node',
  run: () =>
    isAtLeast(nodeVersion, requiredNode()) ? { status: 'ok' } : { status: 'fail', detail: 'too-old' },
})

/** Whether git is there, which the agent fetches sources with: the control plane itself does without. */
export const gitCheck = ({ env }: Pick<Io, 'env'>): NamedCheck => ({
  name: 'git',
  run: (signal) => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    execFile('git', ['--version'], { env: { PATH: env.PATH ?? '' }, signal }, (error) =>
      resolve(error === null),
    )
    return promise.then((isThere) => (isThere ? { status: 'ok' } : { status: 'warn', detail: 'not-found' }))
  },
})
