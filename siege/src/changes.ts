import fc from 'fast-check'
import { MAX_BODY_BYTES } from '../../packages/http/src/exchange/body/json-body.ts'
import type { Route } from '../../packages/http/src/exchange/route.ts'
import { textChange, valueChange } from './body-mutations.ts'
import { type Headers, headChange } from './head-mutations.ts'
import { hugeLines } from './huge-lines.ts'
import { type Target, targetChange } from './target-mutations.ts'

type Made<A> = A extends fc.Arbitrary<infer T> ? T : never

/** The parts of a request before it is serialized. */
export interface AttackParts {
  readonly target: Target
  readonly headers: Headers
  readonly value: unknown
  readonly valueChanges: readonly Made<typeof valueChange>[]
  readonly textChanges: readonly Made<typeof textChange>[]
}

/** A change of one place of a request. */
export type Change = (parts: AttackParts) => AttackParts

const ofValue = valueChange.map(
  (each): Change =>
    (parts) => ({ ...parts, valueChanges: [...parts.valueChanges, each] }),
)
// Weight scale: bodies of megabytes come once in some ten thousand requests.
const FINE = 50
const ofHugeLines = hugeLines.map(
  (each): Change =>
    (parts) => ({ ...parts, valueChanges: [each], textChanges: [] }),
)
const ofText = textChange.map(
  (each): Change =>
    (parts) => ({ ...parts, textChanges: [each] }),
)

/** Returns the header with the credential that a route requires; undefined if it requires none. */
export function credentialOf({
  gate,
  path,
}: Route): readonly ['Authorization' | 'Cookie', string] | undefined {
  if (path === '/logout') return ['Cookie', '{parting}']
  if (gate.security.includes('session')) return ['Cookie', '{cookie}']
  if (path === '/api/v1/provisioning/worker') return ['Authorization', 'Bearer {worker}']
  if (gate.security.includes('sharedSecret')) return ['Authorization', 'Bearer {cron}']
  if (gate.security.includes('browserToken')) return ['Authorization', 'Bearer {browser}']
  if (gate.security.includes('licenseKey')) return ['Authorization', 'Bearer {key}']
  return undefined
}

/** Draws changes of a good request of this route, in the places that it has. */
export function changesOf(route: Route): fc.Arbitrary<Change> {
  const ofHead = headChange(credentialOf(route)?.[0]).map(
    (each): Change =>
      (parts) => ({ ...parts, headers: each(parts.headers) }),
  )
  const ofTarget = targetChange(route.path.includes('{')).map(
    (each): Change =>
      (parts) => ({ ...parts, target: each(parts.target) }),
  )
  const ofBody =
    route.body === undefined
      ? []
      : [
          { weight: 8 * FINE, arbitrary: ofValue },
          { weight: 2 * FINE, arbitrary: ofText },
          { weight: route.body.maxBytes > MAX_BODY_BYTES ? 1 : 0, arbitrary: ofHugeLines },
        ]
  return fc.oneof(
    ...ofBody,
    { weight: 3 * FINE, arbitrary: ofHead },
    { weight: 3 * FINE, arbitrary: ofTarget },
  )
}
