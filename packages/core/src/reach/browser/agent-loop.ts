import type { Ids } from '../../kernel/ids.ts'
import { ModelFailure } from '../chat/answer/language-model.ts'
import { type AgentAction, isStep } from './agent-action.ts'
import type { AgentStep, RunEnd } from './agent-answer.ts'
import { type AgentPlanner, NoAction } from './agent-planner.ts'
import type { AgentSteps, SeenPage } from './agent-steps.ts'
import type { AgentRequest } from './browser-requests.ts'
import { StuckGuard } from './stuck-guard.ts'

/** Dependencies of one run. */
export interface AgentLoopParts {
  readonly steps: AgentSteps
  readonly planner: AgentPlanner
  readonly request: Pick<AgentRequest, 'goal' | 'maxSteps' | 'variables' | 'schema'>
  readonly ids: Ids
  readonly signal: AbortSignal
}

const BOUNDARY_BYTES = 12

/**
 * Observes, plans and acts until the goal is reached or the run has to stop. Yields each step, and returns
 * how the run ended. @throws PageFailure when the page cannot be used any more
 */
export class AgentLoop {
  readonly #parts: AgentLoopParts
  readonly #guard = new StuckGuard()
  readonly #history: string[] = []
  readonly #boundary: string
  #isStuck = false
  #noted: { readonly result: unknown } | undefined

  constructor(parts: AgentLoopParts) {
    this.#parts = parts
    this.#boundary = `page-${parts.ids.secret(BOUNDARY_BYTES)}`
  }

  async *run(): AsyncGenerator<AgentStep, RunEnd> {
    const { steps, request } = this.#parts
    for (let left = request.maxSteps; left > 0; left -= 1) {
      const seen = await steps.see()
      const action = await this.#plan(seen, left)
      if (!isStep(action)) {
        const end = this.#heed(action)
        if (end !== undefined) return end
        continue
      }
      const step = await steps.take(action, seen)
      this.#history.push(lineOf(step))
      yield step
      if (step.outcome === 'blocked') return { status: 'blocked' }
      if (step.outcome === 'needs_confirmation') return { status: 'needs_confirmation' }
      const verdict = this.#guard.note({ step: action, url: seen.url, page: seen.hash })
      if (verdict === 'stuck') return { status: 'stuck' }
      this.#isStuck = verdict === 'hint'
    }
    return { status: 'max_steps', ...this.#noted }
  }

  async #plan(snapshot: SeenPage, stepsLeft: number): Promise<AgentAction> {
    const { planner, request, signal } = this.#parts
    const { goal, variables, schema } = request
    const about = { goal, schema, variables: Object.keys(variables), history: this.#history }
    const situation = { ...about, snapshot, stepsLeft, isStuck: this.#isStuck, boundary: this.#boundary }
    try {
      return await planner.next(situation, this.#noted !== undefined, signal)
    } catch (error) {
      if (error instanceof NoAction) return { type: 'fail', reason: 'the model named no valid action' }
      if (error instanceof ModelFailure) return { type: 'fail', reason: `the model failed: ${error.reason}` }
      throw error
    }
  }

  #heed(action: Exclude<AgentAction, { readonly type: AgentStepType }>): RunEnd | undefined {
    if (action.type === 'fail') return { status: 'failed', reason: action.reason, ...this.#noted }
    if (action.type === 'extract') {
      this.#noted = { result: action.result }
      this.#history.push('extract: noted')
      return undefined
    }
    const result = action.result === undefined ? this.#noted : { result: action.result }
    return { status: 'completed', answer: action.answer, ...result }
  }
}

type AgentStepType = 'navigate' | 'click' | 'fill' | 'select' | 'press' | 'scroll' | 'wait' | 'back'

const lineOf = ({ n, action, outcome, notes = [] }: AgentStep): string =>
  `${n}. ${JSON.stringify(action)} -> ${outcome}${notes.length === 0 ? '' : ` ${JSON.stringify(notes)}`}`
