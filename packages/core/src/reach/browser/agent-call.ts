import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import type { LanguageModel } from '../chat/answer/language-model.ts'
import type { AgentStep, RunEnd } from './agent-answer.ts'
import { AgentLoop } from './agent-loop.ts'
import { AgentPlanner, type PlannerUsage } from './agent-planner.ts'
import { AgentSteps } from './agent-steps.ts'
import type { AgentAnswer } from './browser-answers.ts'
import { PageFailure } from './browser-page.ts'
import type { AgentRequest } from './browser-requests.ts'
import type { BrowserSession } from './browser-sessions.ts'

/** Dependencies of one call of the agent, whose page is open. */
export interface AgentCallParts extends Pick<Base, 'timers' | 'ids'> {
  readonly id: string
  readonly session: BrowserSession
  readonly request: AgentRequest
  readonly model: LanguageModel | undefined
  /** Aborted when the caller has left, the time is over, or the process ends. */
  readonly signal: AbortSignal
  /** Whether it was the time that aborted `signal`. */
  readonly isLate: () => boolean
  /** Called with each step when it is over. */
  readonly onStep: (step: AgentStep) => void
}

/** Figures of a call, for its record. */
export interface CallTally {
  readonly steps: number
  readonly llmTokens: number
}

/** One call of the agent: it observes, acts once, or runs towards a goal. */
export class AgentCall {
  readonly #parts: AgentCallParts
  readonly #steps: AgentSteps
  readonly #taken: AgentStep[] = []
  #usage: PlannerUsage | undefined

  constructor(parts: AgentCallParts) {
    this.#parts = parts
    const { session, timers, request } = parts
    const { page, domains, variables } = session
    this.#steps = new AgentSteps({ page, domains, variables, timers, allowRisky: request.allowRisky })
  }

  get tally(): CallTally {
    const { input_tokens: input = 0, output_tokens: output = 0 } = this.#usage ?? {}
    return { steps: this.#taken.length, llmTokens: input + output }
  }

  /**
   * Works until the call has an answer. The page must not be used again after an answer without `session_id`.
   * @throws PageFailure when the browser has ended; the reason of `signal` unless the time was over
   */
  async run(): Promise<AgentAnswer> {
    const { signal, isLate } = this.#parts
    try {
      return await this.#answer(await this.#work())
    } catch (error) {
      if (isLate()) return this.#answer({ status: 'timeout' })
      signal.throwIfAborted()
      if (this.#parts.session.page.strayed) return this.#answer({ status: 'blocked' })
      if (!isFull(error)) throw error
      return this.#answer({ status: 'failed', reason: 'the page moved more bytes than it may' })
    }
  }

  async #work(): Promise<RunEnd> {
    const { request, model, ids, signal } = this.#parts
    const { mode, step, schema } = request
    if (mode === 'observe') return { status: 'completed' }
    if (mode === 'act' && step !== undefined) {
      const taken = await this.#steps.take(step, await this.#steps.see())
      this.#note(taken)
      return { status: taken.outcome === 'ok' ? 'completed' : taken.outcome }
    }
    if (model === undefined) throw new Problem('agent-model-not-configured')
    const planner = new AgentPlanner({ model, schema, mask: this.#steps.mask })
    this.#usage = planner.usage
    const run = new AgentLoop({ steps: this.#steps, planner, request, ids, signal }).run()
    for (;;) {
      const next = await run.next()
      if (next.done) return next.value
      this.#note(next.value)
    }
  }

  #note(step: AgentStep): void {
    this.#taken.push(step)
    this.#parts.onStep(step)
  }

  async #answer(end: RunEnd): Promise<AgentAnswer> {
    const { id, session, request } = this.#parts
    const { mask } = this.#steps
    const isUsable = !ENDS_SESSION.has(end.status)
    const reason = end.reason ?? (request.mode === 'act' && !isUsable ? SESSION_ENDS : undefined)
    const seen = isUsable ? await this.#lastLook() : undefined
    const isLook = request.mode !== 'run'
    const wantsPicture = request.screenshot && seen !== undefined
    const picture = wantsPicture ? await session.page.screenshot(false).catch(() => undefined) : undefined
    const shown = seen && {
      snapshot: seen.tree,
      snapshot_hash: seen.hash,
      truncated: seen.truncated,
      url: seen.url,
      title: seen.title,
    }
    return {
      ok: end.status === 'completed',
      request_id: id,
      status: end.status,
      ...(end.answer === undefined ? {} : { answer: mask.text(end.answer) }),
      ...(reason === undefined ? {} : { reason: mask.text(reason) }),
      ...(end.result === undefined ? {} : { result: mask.json(end.result) }),
      ...(request.mode === 'observe' ? {} : { steps: this.#taken }),
      ...(seen === undefined ? {} : { final_url: seen.url }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(isLook ? shown : {}),
      ...(picture && { screenshot: picture }),
      ...(session.page.refusals.length === 0 ? {} : { blocked: session.page.refusals }),
      ...(seen === undefined ? {} : { session_id: session.id }),
    }
  }

  /** Looks at the page once more; undefined if it cannot be used any more. */
  async #lastLook() {
    try {
      return await this.#steps.see()
    } catch (error) {
      if (error instanceof PageFailure && !this.#parts.session.page.strayed) return undefined
      throw error
    }
  }
}

/** After these the page may be in the middle of something, or where it must not be. */
const ENDS_SESSION: ReadonlySet<string> = new Set(['timeout', 'blocked'])
const SESSION_ENDS = 'the session has ended with this step: begin another one with url'

const isFull = (error: unknown): boolean => error instanceof PageFailure && error.fault.kind === 'too-large'
