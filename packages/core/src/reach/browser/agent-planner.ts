import { Problem } from '../../kernel/problem.ts'
import type { LanguageModel, ModelTurn } from '../chat/answer/language-model.ts'
import { type AgentAction, readAction } from './agent-action.ts'
import { repairTurns, type Situation, turnsOf } from './agent-prompt.ts'
import type { VariableMask } from './agent-variables.ts'
import { misfits, type ResultSchema } from './result-schema.ts'

/** Questions about one step, the first included. */
const TRIES = 3
const MAX_TOKENS = 1200
const MAX_ANSWER_CHARS = 32_768

/** Calls and tokens of the model. */
export interface PlannerUsage {
  llm_calls: number
  input_tokens: number
  output_tokens: number
}

/** The model did not name an action, however often it was asked. */
export class NoAction extends Error {
  override readonly name = 'NoAction'
}

/** Dependencies of a planner, which belongs to one run. */
export interface PlannerParts {
  readonly model: LanguageModel
  readonly mask: VariableMask
  readonly schema: ResultSchema | undefined
}

/** Asks a language model for the next action. */
export class AgentPlanner {
  readonly usage: PlannerUsage = { llm_calls: 0, input_tokens: 0, output_tokens: 0 }
  readonly #parts: PlannerParts

  constructor(parts: PlannerParts) {
    this.#parts = parts
  }

  /**
   * Returns the next action. `hasResult`: a result that fits is noted already.
   * @throws NoAction after three answers that are none; ModelFailure
   */
  async next(situation: Situation, hasResult: boolean, signal: AbortSignal): Promise<AgentAction> {
    let turns = turnsOf(situation)
    for (let tried = 1; ; tried += 1) {
      const answer = await this.#ask(turns, signal)
      const read = this.#read(answer, hasResult)
      if ('action' in read) return read.action
      if (tried === TRIES) throw new NoAction()
      turns = repairTurns(turns, this.#parts.mask.text(answer), read.faults)
    }
  }

  async #ask(turns: readonly ModelTurn[], signal: AbortSignal): Promise<string> {
    const { usage } = this
    usage.llm_calls += 1
    const onUsage = ({ input, output }: { readonly input: number; readonly output: number }) => {
      usage.input_tokens += input
      usage.output_tokens += output
    }
    let text = ''
    const { model, mask } = this.#parts
    const [rules, ...rest] = turns
    const masked = rest.map(({ role, content }) => ({ role, content: mask.text(content) }))
    const asked = rules === undefined ? masked : [rules, ...masked]
    for await (const part of model.answer({ turns: asked, maxTokens: MAX_TOKENS, onUsage }, signal)) {
      text += part
      if (text.length > MAX_ANSWER_CHARS) break
    }
    return text
  }

  #read(
    answer: string,
    hasResult: boolean,
  ): { readonly action: AgentAction } | { readonly faults: readonly string[] } {
    const { schema } = this.#parts
    try {
      const action = readAction(JSON.parse(withoutFence(answer)))
      if (schema === undefined) return { action }
      const result = action.type === 'done' || action.type === 'extract' ? action.result : undefined
      const isMissing = action.type === 'done' && result === undefined
      const faults = isMissing
        ? hasResult
          ? []
          : ['result: expected a value']
        : action.type === 'done' || action.type === 'extract'
          ? misfits(result, schema)
          : []
      return faults.length === 0 ? { action } : { faults }
    } catch (error) {
      if (error instanceof Problem) return { faults: error.data.details ?? [] }
      if (error instanceof SyntaxError) return { faults: ['expected JSON'] }
      throw error
    }
  }
}

const FENCE = '```'
/** Models often put JSON between fences although nobody asked for it. */
function withoutFence(text: string): string {
  const trimmed = text.trim()
  const begin = /^```(?:json)?[ \t\r]*\n/.exec(trimmed)?.[0]
  return begin && trimmed.endsWith(FENCE) ? trimmed.slice(begin.length, -FENCE.length) : text
}
