import fc from 'fast-check'
import { OPERATIONS } from '../../../core/src/operations/list.ts'
import { pathsOf, type Route } from '../../src/route.ts'
import { ROUTES } from '../../src/routes/index.ts'
import { jsonSchema, type Shape } from '../../src/shape.ts'
import { textChange, valueChange, written } from './body-mutations.ts'
import { type Headers, headChange } from './head-mutations.ts'
import type { WireRequest } from './pipeline.ts'
import type { Scene } from './scene.ts'
import { type Target, targetChange } from './target-mutations.ts'
import { validValue } from './valid-values.ts'

type Made<A> = A extends fc.Arbitrary<infer T> ? T : never

interface AttackParts {
  readonly target: Target
  readonly headers: Headers
  readonly value: unknown
  readonly valueChanges: readonly Made<typeof valueChange>[]
  readonly textChanges: readonly Made<typeof textChange>[]
}

/** A good request of a route that was changed in one to three places. */
export class Attack {
  readonly #parts: AttackParts

  constructor(parts: AttackParts) {
    this.#parts = parts
  }

  /** Method and path as they are sent. */
  targetIn(scene: Scene): Target {
    const { method, path } = this.#parts.target
    return { method, path: filled(path, scene) }
  }

  wire(staged: Scene): WireRequest {
    const { headers, value, valueChanges, textChanges } = this.#parts
    const { method, path } = this.targetIn(staged)
    // Whoever signs out takes a session of its own.
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
}

const filled = (text: string, scene: Scene): string =>
  text.replaceAll(
    /\{(key|spare|cookie|parting|held|pending|deployment|cron)\}/g,
    (_, name: keyof Scene) => `${scene[name]}`,
  )

/** What proves who asks, as the route wants it. */
function credentials({ gate, path }: Route): Headers {
  if (path === '/logout') return [['Cookie', '{parting}']]
  if (gate.security.includes('session')) return [['Cookie', '{cookie}']]
  if (gate.security.includes('sharedSecret')) return [['Authorization', 'Bearer {cron}']]
  return [['Authorization', 'Bearer {key}']]
}

const schemaBody = (shape: Shape): fc.Arbitrary<unknown> => validValue(jsonSchema(shape))

/** Good requests of one route. */
function goodRequests(route: Route): fc.Arbitrary<AttackParts> {
  const path = fc.constantFrom(...pathsOf(route))
  const base = { valueChanges: [], textChanges: [] }
  const headers: Headers = [...credentials(route), ['Content-Type', 'application/json']]
  if (route.path.includes('{name}')) {
    return fc
      .constantFrom(...OPERATIONS)
      .chain(({ name, input }) => fc.tuple(path, fc.constant(name), schemaBody(input as unknown as Shape)))
      .map(([at, name, value]) => {
        const target = { method: route.method, path: at.replace('{name}', name) }
        return { ...base, headers, target, value: route.body === undefined ? undefined : value }
      })
  }
  const body = route.body === undefined ? fc.constant(undefined) : schemaBody(route.body.shape)
  const id = route.path.startsWith('/api/deploy') ? '{deployment}' : '{held}'
  return fc.tuple(path, body).map(([at, value]) => {
    const target = { method: route.method, path: at.replace(/\{[^}]+\}/, id) }
    return { ...base, headers, target, value }
  })
}

type Change = (parts: AttackParts) => AttackParts

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: valueChange.map((each) => (parts: AttackParts) => ({
      ...parts,
      valueChanges: [...parts.valueChanges, each],
    })),
  },
  {
    weight: 2,
    arbitrary: textChange.map((each) => (parts: AttackParts) => ({ ...parts, textChanges: [each] })),
  },
  {
    weight: 3,
    arbitrary: headChange.map((each) => (parts: AttackParts) => ({ ...parts, headers: each(parts.headers) })),
  },
  {
    weight: 3,
    arbitrary: targetChange.map((each) => (parts: AttackParts) => ({ ...parts, target: each(parts.target) })),
  },
)

// A sign-in costs a password hash, a tick a round over everything: seldom, or nothing else would be asked.
const SELDOM = ['/login', '/api/v1/monitors/run', '/metrics']
const weightOf = ({ path }: Route): number => (SELDOM.includes(path) ? 2 : path.includes('{') ? 30 : 15)

/** A bad request of any route. */
export const anyAttack: fc.Arbitrary<Attack> = fc
  .tuple(
    fc.oneof(...ROUTES.map((route) => ({ weight: weightOf(route), arbitrary: goodRequests(route) }))),
    fc.array(change, { minLength: 1, maxLength: 3 }),
  )
  .map(([good, changes]) => new Attack(changes.reduce((parts, each) => each(parts), good)))
