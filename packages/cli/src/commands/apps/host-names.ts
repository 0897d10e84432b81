import { agentId } from '@svc/core/client'
import type { Connection } from '../../connect/connect.ts'
import type { CommandRun } from '../../program/command-run.ts'

/** Returns the name of a host for people, by its full fingerprint. */
export type NameHost = (fingerprint: string) => string

interface Known {
  readonly id: string
  readonly hostname: string
  readonly label: string
}

const SHORT = 12

/** The beginning of a fingerprint, in the form that commands take. */
export const shortHost: NameHost = (fingerprint) => `fp:${fingerprint.slice(0, SHORT)}`

/** Names by the hosts that somebody sees: the label, else the hostname, unless two hosts have it. */
export function namesOf(servers: readonly Known[]): NameHost {
  const names = new Map(servers.map(({ id, label, hostname }) => [id, label || hostname]))
  const all = [...names.values()]
  return (fingerprint) => {
    const name = names.get(agentId(fingerprint)) ?? ''
    const isOne = name !== '' && all.filter((each) => each === name).length === 1
    return isOne ? name : shortHost(fingerprint)
  }
}

/** The names of the hosts that the caller may list; none are asked for when the answer is JSON. */
export async function hostNames(run: CommandRun, connection: Connection): Promise<NameHost> {
  if (run.options.json === true) return shortHost
  // Names are a help: who may not list hosts reads fingerprints.
  const { servers } = await connection
    .run('fleet.servers', {})
    .then((answer) => answer as unknown as { readonly servers: readonly Known[] })
    .catch(() => ({ servers: [] }))
  return namesOf(servers)
}

/** Runs an operation, and returns its answer with the names of hosts. */
export async function operateNamed<A>(
  run: CommandRun,
  operation: string,
  input: object,
): Promise<{ readonly answer: A; readonly nameOf: NameHost }> {
  await using connection = await run.connect()
  const answer = (await connection.run(operation, { ...input })) as A
  return { answer, nameOf: await hostNames(run, connection) }
}
