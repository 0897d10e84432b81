import { hash } from 'node:crypto'
import type { Timers } from '../../kernel/timers.ts'
import type { PageStep } from './agent-action.ts'
import type { AgentStep } from './agent-answer.ts'
import { VariableMask, type Variables, withVariables } from './agent-variables.ts'
import { type BrowserPage, type ElementFacts, PageFailure, type Snapshot } from './browser-page.ts'
import { isWithinDomains } from './page-domains.ts'
import { elementOf, isRisky, labelOf } from './risk.ts'

/** Longest tree of a page, in characters; it is cut at a line. */
const MAX_TREE_CHARS = 40_000

/** A page as the agent sees it: without the values of variables. */
export interface SeenPage extends Snapshot {
  /** SHA-256 of the tree, in hex. */
  readonly hash: string
  readonly truncated: boolean
}

/** Dependencies of the steps of one call. */
export interface AgentStepsParts {
  readonly page: BrowserPage
  readonly timers: Timers
  readonly domains: readonly string[]
  readonly variables: Variables
  readonly allowRisky: boolean
}

/** Sees a page and takes steps on it, within the rules of one call. */
export class AgentSteps {
  readonly mask: VariableMask
  readonly #parts: AgentStepsParts
  #taken = 0

  constructor(parts: AgentStepsParts) {
    this.#parts = parts
    this.mask = new VariableMask(parts.variables)
  }

  /** Returns the content of the page. @throws PageFailure also once it went, or tried to go, elsewhere */
  async see(): Promise<SeenPage> {
    const { page } = this.#parts
    const { url, title, tree } = await page.snapshot()
    if (page.strayed) throw new PageFailure({ kind: 'refused', reason: 'domain' })
    const masked = this.mask.text(tree)
    const end = masked.lastIndexOf('\n', MAX_TREE_CHARS)
    const truncated = masked.length > MAX_TREE_CHARS
    const shown = truncated ? masked.slice(0, end < 0 ? MAX_TREE_CHARS : end) : masked
    const where = { url: this.mask.text(url), title: this.mask.text(title) }
    return { ...where, tree: shown, truncated, hash: hash('sha256', shown) }
  }

  /** Takes a step on the page that was seen. A step that is not allowed is not taken. */
  async take(step: PageStep, seen: SeenPage): Promise<AgentStep> {
    const { page, timers } = this.#parts
    const startedMs = timers.elapsedMs()
    const outcome = await this.#outcome(step, seen)
    const label = 'ref' in step ? { label: labelOf(seen.tree, step.ref) } : {}
    const notes = page.takeNotes().map((note) => this.mask.text(note))
    const masked = this.mask.json({ ...step, ...label }) as Readonly<Record<string, unknown>>
    this.#taken += 1
    return {
      n: this.#taken,
      url: seen.url,
      action: { ...masked, type: step.type },
      outcome,
      ms: Math.round(timers.elapsedMs() - startedMs),
      ...(notes.length === 0 ? {} : { notes }),
    }
  }

  async #outcome(step: PageStep, seen: SeenPage): Promise<AgentStep['outcome']> {
    const { page, domains, variables, allowRisky } = this.#parts
    if (step.type === 'navigate' && !isAllowed(step.url, domains)) return 'blocked'
    try {
      if (!allowRisky) {
        const element = elementOf(step)
        const facts: ElementFacts = element === undefined ? NOTHING : await page.facts(element.ref)
        const label = element?.ref === undefined ? '' : labelOf(seen.tree, element.ref)
        if (isRisky(step, label, facts, variables)) return 'needs_confirmation'
      }
      await page.act(step.type === 'fill' ? { ...step, value: withVariables(step.value, variables) } : step)
    } catch (error) {
      if (page.strayed) return 'blocked'
      if (error instanceof PageFailure && STEP_FAULTS.has(error.fault.kind)) return 'failed'
      throw error
    }
    return page.strayed ? 'blocked' : 'ok'
  }
}

const NOTHING: ElementFacts = { isSecret: false, isInSecretForm: false, isInCardForm: false }
/** Faults after which the agent may try something else. */
const STEP_FAULTS: ReadonlySet<string> = new Set(['element', 'navigation', 'timeout', 'refused'])

function isAllowed(url: string, domains: readonly string[]): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && isWithinDomains(parsed.hostname, domains)
}
