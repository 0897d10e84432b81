import { type ControlPlane, Problem, type Storage } from '@svc/core'
import type { Context, Middleware } from 'koa'
import { BYSTANDER } from './marker.ts'
import { SPARE_PERSON } from './scene.ts'

const LEAKED_CHARS = 32 * 1024
const HELD_MS = 600
const ATTACKED_MS = 500
const SLOW_MS = 80

/** Rewrites the JSON of an answer. */
function amend(ctx: Context, change: (body: Record<string, unknown>) => object): void {
  if (typeof ctx.body === 'string' && ctx.body.startsWith('{')) {
    ctx.body = JSON.stringify(change(JSON.parse(ctx.body) as Record<string, unknown>))
  }
}

const answering =
  (status: number, work: (ctx: Context) => void | Promise<void>): Middleware =>
  async (ctx, next) => {
    await next()
    if (ctx.status === status) await work(ctx)
  }

// Measures the thread's own processor time: with wall-clock time, on a busy machine it would mostly wait.
function hold(): void {
  const start = process.threadCpuUsage()
  for (let us = 0; us < HELD_MS * 1000; ) {
    const { user, system } = process.threadCpuUsage(start)
    us = user + system
  }
}

const kept: string[] = []
let attackedAt = Number.NEGATIVE_INFINITY
let changes = 0

/** Faults of a service, by name; each happens only under a condition that few requests meet. */
const faultsOf = (plane: ControlPlane, storage: Storage): Readonly<Record<string, Middleware>> => ({
  'a 500': async (ctx, next) => {
    await next()
    if (ctx.path.includes('%ed%a0%80')) ctx.status = 500
  },
  'an undocumented status': answering(400, (ctx) => {
    if (ctx.path.endsWith('/heartbeat')) ctx.status = 422
  }),
  'an echoed value': answering(404, (ctx) =>
    amend(ctx, () => ({ error: `${ctx.path.slice(0, 200)} is not found` })),
  ),
  'an echoed credential': answering(401, (ctx) =>
    ctx.set('WWW-Authenticate', `Bearer error="${ctx.get('authorization').replaceAll(/[^\w ]/g, '')}"`),
  ),
  '13 details': answering(400, (ctx) =>
    amend(ctx, (body) => {
      const details = (body.details ?? []) as string[]
      if (details.length === 0) return body
      return { ...body, details: Array.from({ length: 13 }, (_, index) => details[index] ?? 'one more') }
    }),
  ),
  'an error that is no JSON': answering(405, (ctx) => {
    ctx.type = 'text/plain'
    ctx.body = 'Method Not Allowed'
  }),
  'an error with its inside': answering(413, (ctx) =>
    amend(ctx, (body) => ({ ...body, stack: 'at f (a.ts:1)' })),
  ),
  'a value in the log': async (ctx, next) => {
    await next()
    plane.log.info({ path: ctx.path }, 'request refused')
  },
  'a fault in the log': answering(404, () => plane.log.error({ code: 'x' }, 'request fault')),
  'a row from a refused request': answering(401, async () => {
    await plane.licenses.issue({ label: 'refused' })
  }),
  'a row that a refused request changes': answering(401, async () => {
    changes += 1
    const user = await storage.users.byEmail(SPARE_PERSON)
    await storage.users.change(user?.id ?? '', { passwordHash: `${changes}` })
  }),
  'a leak': async (ctx, next) => {
    await next()
    if (ctx.status >= 400) kept.push(`${kept.length}`.padEnd(LEAKED_CHARS, 'x').split('').reverse().join(''))
  },
  'a blocked loop': async (ctx, next) => {
    if (ctx.querystring.includes('limit=-1')) hold()
    await next()
  },
  'a starved client': async (ctx, next) => {
    if (ctx.get('user-agent') === BYSTANDER && Math.random() < 0.1) throw new Problem('unavailable')
    await next()
  },
  'a slowed client': async (ctx, next) => {
    const isOther = ctx.get('user-agent') !== BYSTANDER
    if (isOther) attackedAt = performance.now()
    else if (performance.now() - attackedAt < ATTACKED_MS)
      await new Promise((done) => setTimeout(done, SLOW_MS))
    await next()
  },
  'no answer': (ctx, next) => (ctx.get('range') === '' ? next() : new Promise(() => {})),
  'the end': async (ctx, next) => {
    if (ctx.method === 'TRACE') process.exit(7)
    await next()
  },
})

/** A middleware that makes a service do one thing wrong, to test the checks of a siege. */
export class Planted {
  readonly #faults: Readonly<Record<string, Middleware>>
  #planted: Middleware | undefined

  constructor(plane: ControlPlane, storage: Storage) {
    this.#faults = faultsOf(plane, storage)
  }

  /** Whether a fault is active. */
  get isPlanted(): boolean {
    return this.#planted !== undefined
  }

  readonly middleware: Middleware = (ctx, next) => (this.#planted ?? untouched)(ctx, next)

  /** Activates this fault from now on; an unknown name deactivates all. */
  plant(name: string): { readonly planted: boolean } {
    this.#planted = this.#faults[name]
    kept.length = 0
    return { planted: this.isPlanted }
  }
}

const untouched: Middleware = (_ctx, next) => next()
