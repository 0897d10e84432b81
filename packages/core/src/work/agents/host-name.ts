import { Problem } from '../../kernel/problem.ts'
import type { Scope } from '../../kernel/scope.ts'
import { type Agent, agentId } from './agent.ts'

/** Marks a text as a fingerprint and nothing else. */
const FINGERPRINT_PREFIX = 'fp:'
/**
 * Least length of a fingerprint that is a name without the prefix. Hosts choose their fingerprints: a shorter
 * one may be the hostname of another host, chosen to get its jobs.
 */
const NAMING_CHARS = 32
/** Most candidates that an ambiguous name lists. */
const MAX_CANDIDATES = 12

/** Whether `name` may mean this host, by its fingerprint, display id, hostname or label. */
export function isCalled({ fingerprint, hostname, label }: Agent, name: string): boolean {
  if (name.startsWith(FINGERPRINT_PREFIX)) return fingerprint === name.slice(FINGERPRINT_PREFIX.length)
  if ([agentId(fingerprint), hostname, label].includes(name)) return name !== ''
  return name.length >= NAMING_CHARS && fingerprint === name
}

/** A name that may mean several hosts. */
export class AmbiguousHost extends Problem {
  readonly hosts: readonly { readonly id: string; readonly hostname: string }[]

  constructor(detail: string, matches: readonly Agent[]) {
    super('ambiguous', { detail, candidates: candidatesOf(matches) })
    this.hosts = matches.slice(0, MAX_CANDIDATES).map(({ fingerprint, hostname }) => ({
      id: agentId(fingerprint),
      hostname,
    }))
  }
}

/**
 * The one host of `agents`, which are those of a scope, that `name` means.
 * @throws Problem `not-found`, or `ambiguous` with the candidates when it may mean several, by any field
 */
export function hostCalled(agents: readonly Agent[], scope: Scope, name: string): Agent {
  const matches = agents.filter((agent) => isCalled(agent, name))
  const [only, ...others] = matches
  if (only === undefined) {
    const isFingerprint = agents.some(({ fingerprint }) => fingerprint === name)
    const way = isFingerprint ? `${FINGERPRINT_PREFIX}${name} is the host with this fingerprint, and ` : ''
    const [where, option] =
      scope.of === 'license' ? [`no host of ${scope.id}`, ` --license ${scope.id}`] : ['no host', '']
    throw new Problem('not-found', {
      detail: `${where} is called ${name}; ${way}svc fleet servers${option} shows them`,
    })
  }
  if (others.length === 0) return only
  const way = `use one of these ids${new Set(matches.map(({ licenseId }) => licenseId)).size > 1 ? ', with its license' : ''}`
  throw new AmbiguousHost(`${name} may be any of ${matches.length} hosts: ${way}`, matches)
}

// By display id; hosts of one license that share it are told apart by nothing but their fingerprints.
function candidatesOf(matches: readonly Agent[]): string[] {
  const known = matches.map((agent) => `${agentId(agent.fingerprint)} of ${agent.licenseId}`)
  const listed = known.map((candidate, index) => {
    const isOnly = known.indexOf(candidate) === known.lastIndexOf(candidate)
    return isOnly ? candidate : `${candidate}: ${FINGERPRINT_PREFIX}${matches[index]?.fingerprint}`
  })
  const rest = listed.length - MAX_CANDIDATES
  return rest > 0 ? [...listed.slice(0, MAX_CANDIDATES), `and ${rest} more`] : listed
}
