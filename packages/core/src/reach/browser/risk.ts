import { cut } from '../../kernel/cut.ts'
import type { PageStep } from './agent-action.ts'
import { isVariablesOnly, type Variables } from './agent-variables.ts'
import type { ElementFacts } from './browser-page.ts'

/** Names of buttons that spend money or destroy something. */
const RISKY_NAME = /buy|pay|order|delete|transfer|confirm/i

/**
 * Returns whether a step needs the consent of the caller: text of a model's own in a field for a password or
 * a card, a click on a risky name in a form with such a field, and sending off a form with a card by a key.
 */
export function isRisky(step: PageStep, label: string, facts: ElementFacts, variables: Variables): boolean {
  switch (step.type) {
    case 'fill':
      if (step.submit && facts.isInCardForm) return true
      return facts.isSecret && !isVariablesOnly(step.value, variables)
    case 'select':
      return facts.isSecret
    case 'click':
      return facts.isInSecretForm && RISKY_NAME.test(label)
    case 'press':
      return step.key === 'Enter' && facts.isInCardForm
    default:
      return false
  }
}

/** Whether the page has to be asked about the element of a step, and about which. */
export function elementOf(step: PageStep): { readonly ref: string | undefined } | undefined {
  if ('ref' in step) return { ref: step.ref }
  return step.type === 'press' ? { ref: undefined } : undefined
}

const MAX_LABEL_CHARS = 200
/** A line of the tree up to its attributes. Text of the page stands behind a colon or in quotes. */
const LINE = /^\s*- '?([a-z]+(?: "(?:[^"\\]|\\.)*")?)((?: \[[^\]]*\])*)/

/** Returns the role and name of an element as the tree of the page writes it: `button "Pricing"`. */
export function labelOf(tree: string, ref: string): string {
  for (const line of tree.split('\n')) {
    const [, label = '', attributes = ''] = LINE.exec(line) ?? []
    if (attributes.includes(` [ref=${ref}]`)) return cut(label, MAX_LABEL_CHARS)
  }
  return ''
}
