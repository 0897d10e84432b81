import fc from 'fast-check'
import { OPERATIONS } from '../../packages/core/src/wiring/features.ts'
import { jsonSchema, type Shape } from '../../packages/http/src/exchange/body/shape.ts'
import { pathsOf, type Route } from '../../packages/http/src/exchange/route.ts'
import { ROUTES } from '../../packages/http/src/routes/index.ts'
import { written } from './body-mutations.ts'
import { type AttackParts, changesOf, credentialOf } from './changes.ts'
import type { Headers } from './head-mutations.ts'
import type { WireRequest } from './pipeline.ts'
import type { Scene } from './scene.ts'
import type { Target } from './target-mutations.ts'
import { validValue } from './valid-values.ts'

/** A good request of a route with changes in one to three places. */
export class Attack {
  readonly #parts: AttackParts

  constructor(parts: AttackParts) {
    this.#parts = parts
  }

  /** The path before ids are filled in. */
  get path(): string {
    return this.#parts.target.path
  }

  /** Returns the method and path as sent. */
  targetIn(scene: Scene): Target {
    const { method, path } = this.#parts.target
    return { method, path: filled(path, scene) }
  }

  wire(staged: Scene): WireRequest {
    const { headers, value, valueChanges, textChanges } = this.#parts
    const { method, path } = this.targetIn(staged)
    // Requests that sign out use a separate session.
    const scene = path.includes('/logout') ? { ...staged, cookie: staged.parting } : staged
    const body = value === undefined ? undefined : this.#body(scene, valueChanges, textChanges)
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: svc.example',
      ...headers.map(([name, text]) => `${name}: ${filled(text, scene)}`),
      ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
    ]
    const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
    return { bytes: body === undefined ? head : Buffer.concat([head, body]), isHead: method === 'HEAD' }
  }

  toString(): string {
    const shown = this.wire(SHOWN_SCENE).bytes.toString('latin1')
    return JSON.stringify(shown.length > SHOWN ? `${shown.slice(0, SHOWN)}… (${shown.length})` : shown)
  }

  #body(scene: Scene, valueChanges: AttackParts['valueChanges'], [last]: AttackParts['textChanges']): Buffer {
    return written(this.#parts.value, valueChanges, (json) => {
      const text = filled(json, scene)
      return last === undefined ? Buffer.from(text) : last(text)
    })
  }
}

const SHOWN = 1500
const SHOWN_SCENE: Scene = {
  port: 0,
  key: '{key}',
  goodKey: '{goodKey}',
  cookie: '{cookie}',
  parting: '{parting}',
  spare: '{spare}',
  held: '{held}',
  pending: '{pending}',
  deployment: '{deployment}',
  cron: '{cron}',
  worker: '{worker}',
  browser: '{browser}',
}

const filled = (text: string, scene: Scene): string =>
  text.replaceAll(
    /\{(key|spare|cookie|parting|held|pending|deployment|cron|worker|browser)\}/g,
    (_, name: keyof Scene) => `${scene[name]}`,
  )

const schemaBody = (shape: Shape): fc.Arbitrary<unknown> => validValue(jsonSchema(shape))

// A single account, whose rate limit allows ten password checks: a hash takes half a second of a core.
const SIGN_IN = { email: 'ada@example.com', password: 'not the password' }

function bodyOf({ path, body }: Route): fc.Arbitrary<unknown> {
  if (path === '/login') return fc.constant(SIGN_IN)
  return body?.shape === undefined ? fc.constant(body && {}) : schemaBody(body.shape)
}

/** Good requests of one route. */
function goodRequests(route: Route): fc.Arbitrary<AttackParts> {
  const path = fc.constantFrom(...pathsOf(route))
  const base = { valueChanges: [], textChanges: [] }
  const credential = credentialOf(route)
  const headers: Headers = [
    ...(credential === undefined ? [] : [credential]),
    ['Content-Type', 'application/json'],
  ]
  if (route.path.includes('{name}')) {
    // Made once per operation: making an arbitrary costs a thousand times as much as drawing a value from it.
    const calls = OPERATIONS.map(({ name, input }) =>
      fc.tuple(path, fc.constant(name), schemaBody(input as unknown as Shape)),
    )
    return fc.oneof(...calls).map(([at, name, value]) => {
      const target = { method: route.method, path: at.replace('{name}', name) }
      return { ...base, headers, target, value: route.body === undefined ? undefined : value }
    })
  }
  const body = bodyOf(route)
  const id = route.path.startsWith('/api/deploy') ? '{deployment}' : '{held}'
  // A route that takes forms also gets JSON with the content type of a form.
  const types = (route.body?.types.length ?? 0) > 1 ? (route.body?.types ?? []) : []
  const typed = fc.constantFrom(...types, undefined)
  return fc.tuple(path, body, typed).map(([at, value, type]) => {
    const target = { method: route.method, path: at.replace(/\{[^}]+\}/, id) }
    const said: Headers = type === undefined ? headers : [...headers.slice(0, -1), ['Content-Type', type]]
    return { ...base, headers: said, target, value }
  })
}

/**
 * Lower weights of routes that are costly for the service: a sign-in costs 80 ms of a core in the mean, since
 * one in seven needs a password hash; metrics cost 14 ms, a tick 3 ms, and other routes 0.7 ms. Each of these
 * routes still gets some hundred of 200,000 requests. Routes that ask for the password use up the same limit
 * as sign-ins, so more of them would leave no tries for sign-ins.
 */
const DEAR: Readonly<Record<string, number>> = {
  '/login': 4,
  '/account/password': 4,
  '/account/sessions/end': 4,
  '/account/second-factor': 4,
  '/account/second-factor/confirm': 4,
  '/account/second-factor/remove': 4,
  '/metrics': 20,
  '/api/v1/monitors/run': 20,
}
// A route without credential and body refuses few requests.
const weightOf = ({ path, gate, body }: Route): number => {
  const dear = DEAR[path]
  if (dear !== undefined) return dear
  if (gate.security.length === 0 && body === undefined) return 40
  return path.includes('{') ? 100 : 50
}

const MAX_CHANGES = 3

const attacksOf = (route: Route): fc.Arbitrary<Attack> =>
  fc
    .tuple(goodRequests(route), fc.array(changesOf(route), { minLength: 1, maxLength: MAX_CHANGES }))
    .map(([good, changes]) => new Attack(changes.reduce((parts, each) => each(parts), good)))

/** Draws a mutated request of any route. */
export const anyAttack: fc.Arbitrary<Attack> = fc.oneof(
  ...ROUTES.map((route) => ({ weight: weightOf(route), arbitrary: attacksOf(route) })),
)
