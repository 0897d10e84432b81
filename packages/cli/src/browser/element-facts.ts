import type { ElementFacts } from '@svc/core/adapters'
import type { Frame, Locator, Page } from 'playwright-core'

const CARD_WORDS = ['card', 'cvc', 'cvv', 'iban']
const CARDS = [
  'input[autocomplete^="cc-"]',
  ...CARD_WORDS.flatMap((word) => [`input[name*="${word}" i]`, `input[id*="${word}" i]`]),
].join(', ')
const SECRETS = `input[type="password" i], ${CARDS}`
const CARD_NAME = new RegExp(CARD_WORDS.join('|'), 'i')

/**
 * Describes an element by its reference. Everything is asked in a world that scripts of the page do not
 * reach. Rejects if there is no such element.
 */
export async function refFacts(page: Page, ref: string, timeout: number): Promise<ElementFacts> {
  const element = page.getByRef(ref)
  const attribute = async (name: string) => (await element.getAttribute(name, { timeout })) ?? ''
  const [type, autocomplete, name, id] = await Promise.all(
    ['type', 'autocomplete', 'name', 'id'].map(attribute),
  )
  const isCard = /^cc-/i.test(autocomplete ?? '') || CARD_NAME.test(`${name} ${id}`)
  const isSecret = /^password$/i.test(type ?? '') || isCard
  return { isSecret, ...(await formFacts(page, element)) }
}

/** Describes the element that has the focus. */
export async function focusFacts(page: Page): Promise<ElementFacts> {
  const focused = await Promise.all(
    page.frames().map((frame) => counted(frame.locator(':focus:not(iframe)'))),
  )
  const at = focused.findIndex((count) => count > 0)
  const frame = page.frames()[at]
  const facts = frame === undefined ? pageFacts(page) : formFacts(page, frame.locator(':focus').first())
  return { isSecret: false, ...(await facts) }
}

type FormFacts = Omit<ElementFacts, 'isSecret'>

async function formFacts(page: Page, element: Locator): Promise<FormFacts> {
  const form = element.locator('xpath=ancestor-or-self::form[1]')
  // Without a form around it, the element may belong to any field.
  if ((await form.count()) === 0) return pageFacts(page)
  const [secrets, cards] = await Promise.all([form.locator(SECRETS).count(), form.locator(CARDS).count()])
  return { isInSecretForm: secrets > 0, isInCardForm: cards > 0 }
}

async function pageFacts(page: Page): Promise<FormFacts> {
  const any = async (selector: string) => {
    const counts = await Promise.all(page.frames().map((frame: Frame) => counted(frame.locator(selector))))
    return counts.some((count) => count > 0)
  }
  return { isInSecretForm: await any(SECRETS), isInCardForm: await any(CARDS) }
}

/** A frame may go away while it is asked. */
const counted = (locator: Locator): Promise<number> => locator.count().catch(() => 0)
